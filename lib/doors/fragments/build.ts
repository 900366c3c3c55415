import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadedRecord } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import {
  type JsonLdNode,
  type Prefixes,
  type Quad,
  readJsonLd,
  withoutRepeats,
  writeNQuads,
} from '../../engines/rdf/index.ts'
import { startSort, storeSorted } from '../../engines/sorted-lines/index.ts'
import { context } from '../linked/context.ts'
import { linkedStatements } from '../linked/record.ts'
import type { FragmentIndex } from './stored.ts'
import { lineOf, orderNames, shortTerm } from './terms.ts'

/** The statements of a public record. They name the record's claims, without their provenance. Addresses of this service have no host. */
export function statementsOfRecord(it: Visible<LoadedRecord>): Quad[] {
  const document = linkedStatements(it, '') as JsonLdNode
  return withoutRepeats(readJsonLd(document, context as Prefixes, { blank: `${it.entity_id}-` }))
}

/** The statements as N-Quads, with `origin` before addresses of this service. */
export function nQuadsAt(quads: readonly Quad[], origin: string): string {
  const at = <T extends Quad['object']>(term: T): T =>
    term.kind === 'iri' && term.value.startsWith('/') ? { ...term, value: origin + term.value } : term
  return writeNQuads(quads.map((it) => ({ subject: at(it.subject), predicate: it.predicate, object: at(it.object) })))
}

/** Sorts statements, and stores them in three orders. */
export type FragmentMaker = {
  add: (quads: readonly Quad[]) => Promise<void>
  /** Stores the orders under a folder of the bucket, and removes the files of the sorting. */
  store: (folder: string) => Promise<FragmentIndex>
  /** Removes the files of the sorting. */
  close: () => Promise<void>
}

/** Begins an index. Its memory does not depend on how many statements follow; its files lie in the folder for temporary files. */
export async function startFragments(): Promise<FragmentMaker> {
  const folder = await mkdtemp(join(tmpdir(), 'fragments-'))
  const sorters = orderNames.map((order) => ({ order, sorter: startSort(folder, order) }))
  const close = () => rm(folder, { recursive: true, force: true })
  return {
    add: async (quads) => {
      const statements = quads.map(({ subject, predicate, object }) => ({
        subject: shortTerm(subject),
        predicate: shortTerm(predicate),
        object: shortTerm(object),
      }))
      for (const { order, sorter } of sorters) await sorter.add(statements.map((it) => lineOf(order, it)))
    },
    store: async (at) => {
      const stored: Partial<FragmentIndex> = {}
      for (const { order, sorter } of sorters)
        stored[order] = await storeSorted(`${at}/fragments.${order}`, sorter.sorted())
      await close()
      return stored as FragmentIndex
    },
    close,
  }
}
