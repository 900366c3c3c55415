import * as v from 'valibot'
import { checkAllowed, invalid, notFound, signInNeeded } from '../../base/errors.ts'
import { findDuplicates } from '../../domain/clusters/duplicates.ts'
import { type Kind, kinds, schemaOf } from '../../domain/kinds/index.ts'
import { recordKinds, reviewedKinds } from '../../domain/kinds/keys.ts'
import { resourceOf } from '../../domain/kinds/resources.ts'
import { confidence, sourceType } from '../../domain/kinds/schema/enums.ts'
import { createClaim } from '../../domain/records/assertions.ts'
import { loadHistory } from '../../domain/records/history.ts'
import { loadRecordById } from '../../domain/records/load.ts'
import { showRecord } from '../../domain/records/shown.ts'
import { explainProperties } from '../../domain/records/views/explain.ts'
import { MOST_TAKEN_BACK, normaliseKey } from '../../domain/search-words/concepts.ts'
import { openSearchModel } from '../../engines/search/index.ts'
import { lines, uuidOf } from '../../platform/http/body.ts'
import { type Actor, mayInspect, maySee, mayWithKey, scopeOf } from '../../platform/permissions.ts'
import { peopleOf } from '../../platform/users/people.ts'
import { cardOf, claimsOf, loadNamedRecords, loadVisible } from './claims.ts'
import { forMachines, type Tool, tool } from './tool.ts'

/** Records that one answer names: each is loaded with its claims. */
const MOST_RECORDS = 10
/** Claims of one record in an answer, the latest ones. */
const MOST_CLAIMS = 200

/** A member of inputs with what it means. */
const member = <S extends v.GenericSchema>(schema: S, words: string) => v.pipe(schema, v.description(words))
const plainText = (least: number, most: number) => v.pipe(v.string(), v.trim(), v.minLength(least), v.maxLength(most))
const recordId = member(uuidOf(), forMachines('The id of a record, as search answers it.'))
const property = member(plainText(1, 100), forMachines('The name of a property, as in the claims of read_record.'))

export const tools: readonly Tool[] = [
  tool({
    name: 'search',
    title: 'Search records',
    description: forMachines(
      'Finds records of cultural heritage of Nepal by words in English or Nepali, in any spelling: names, places, sorts of things, times ("temples in Patan"). Answers ids, and the claims that name each record. `interpreted` shows what was understood of the words, and `left_out` the words without effect.',
    ),
    reads: true,
    inputs: v.object({
      query: member(plainText(2, 300), forMachines('The words to search for.')),
      kind: member(v.optional(v.picklist(reviewedKinds)), forMachines('Only records of this kind.')),
      without: member(
        v.optional(v.pipe(v.array(plainText(1, 300)), v.maxLength(MOST_TAKEN_BACK))),
        forMachines(
          'Keys of `interpreted`: what is not to be understood so again, as in another search with the same words.',
        ),
      ),
    }),
    run: async ({ query, kind, without }, { reader, origin }) => {
      const model = await openSearchModel()
      const {
        hits,
        count,
        interpreted = [],
        left_out = [],
      } = await model.search({
        text: query,
        without: without?.map(normaliseKey),
        scope: scopeOf(reader),
        resources: (kind ? [kind] : reviewedKinds).map(resourceOf),
        published: true,
        limit: MOST_RECORDS,
      })
      return {
        count,
        // The value of a part may be the name of a record. It is left out here, since it comes without a claim.
        interpreted: interpreted.map(({ value: _, ...part }) => part),
        left_out,
        records: await loadNamedRecords(
          hits.map(({ id }) => id),
          reader,
          origin,
        ),
      }
    },
  }),

  tool({
    name: 'read_record',
    title: 'Read a record',
    description: forMachines(
      'Reads all that is claimed of a record. Each value stands in a claim with its id, its source, who claimed it and whether it was accepted. Cite claim_id and source with each value.',
    ),
    reads: true,
    inputs: v.object({ id: recordId }),
    run: async ({ id }, { reader, origin }) => {
      const record = await loadVisible(id, reader)
      if (!record) throw notFound()
      const claims = claimsOf(record, reader)
      const shown = claims.slice(-MOST_CLAIMS)
      return { ...cardOf(record, origin), claims: shown, left_out: claims.length - shown.length }
    },
  }),

  tool({
    name: 'explain',
    title: 'Explain a value',
    description: forMachines(
      'Tells why a property of a record has its value: the claim that stands, the rule of the decision that made it stand, and the rival claims.',
    ),
    reads: true,
    inputs: v.object({ id: recordId, property }),
    run: async ({ id, property: name }, { reader, origin }) => {
      const history = await loadHistory(id)
      if (!history || !mayInspect(reader, history)) throw notFound()
      const shown = await showRecord(reader, history)
      const people = await peopleOf(shown.decisions.map(({ reviewer_id }) => reviewer_id))
      const [explained] = explainProperties(shown, reader, people, name)
      const claims = claimsOf(shown, reader, [name])
      const standing = claims.find(({ claim_id }) => claim_id === explained?.standing?.id) ?? null
      return {
        ...cardOf(shown, origin),
        property: name,
        standing,
        rule: explained?.rule ?? 'nothing',
        why: explained?.why ?? '',
        decision: explained?.decision?.id ?? null,
        rivals: claims.filter((it) => it !== standing),
      }
    },
  }),

  tool({
    name: 'suggest_duplicates',
    title: 'Suggest duplicates',
    description: forMachines(
      'Finds records of a kind that a thing of this name may be already. Ask it before anything new is contributed.',
    ),
    reads: true,
    inputs: v.object({
      name: member(plainText(2, 200), forMachines('The name of the thing.')),
      kind: member(v.picklist(recordKinds), forMachines('The kind of the thing.')),
    }),
    run: async ({ name, kind }, { reader, origin }) => {
      const candidates = await findDuplicates(name, [kinds[kind]], reader)
      const scores = new Map(
        candidates.flatMap(({ members, score }) => members.map(({ entity_id }) => [entity_id, score] as const)),
      )
      const ids = [...scores.keys()].slice(0, MOST_RECORDS)
      const records = await loadNamedRecords(ids, reader, origin)
      return { records: records.map((it) => ({ ...it, likeness: scores.get(it.id) ?? 0 })) }
    },
  }),

  tool({
    name: 'propose_value',
    title: 'Propose a value',
    description: forMachines(
      'Proposes a value for a property of a record. It takes a key with the scope "propose", and a source that says it. A reviewer decides; until then readers do not see it. It is marked as made by a machine.',
    ),
    reads: false,
    inputs: v.object({
      id: recordId,
      property,
      value: member(plainText(1, 5000), forMachines('The value, as the property takes it.')),
      source_type: member(v.picklist(Object.keys(sourceType.values)), forMachines('What kind of source says it.')),
      source_citation: member(
        v.pipe(lines(2000), v.trim(), v.minLength(5)),
        forMachines('The source, worded as a citation.'),
      ),
      source_url: member(
        v.optional(v.pipe(v.string(), v.url(), v.maxLength(1000))),
        forMachines('Where the source can be read.'),
      ),
      confidence: member(
        v.optional(v.picklist(Object.keys(confidence.values)), 'uncertain'),
        forMachines('How sure the source is.'),
      ),
    }),
    run: async ({ id, property: name, value, source_url = '', ...source }, { actor, origin, unit, countProposal }) => {
      const proposer = checkProposer(actor)
      const record = await loadRecordById(id)
      if (!record || !maySee(proposer, record)) throw notFound()
      checkValue(kinds[record.kind], name, value)
      await countProposal()
      const { claim } = await createClaim(
        unit,
        proposer,
        {
          data: { cultural_entity_id: id, asserted_property: name, asserted_value: value },
          cleared: [],
          assertion: { ...source, source_url, data_quality_note: '' },
        },
        { waits: true },
      )
      return {
        ...cardOf(await showRecord(proposer, record), origin),
        claim_id: claim.id,
        property: name,
        status: claim.reconciliation_status,
        made_by_machine: claim.software,
      }
    },
  }),
]

/** Returns the caller if their key has the scope for proposals; fails otherwise. People without a key use the forms. */
function checkProposer(actor: Actor | null): Actor {
  if (!actor) throw signInNeeded()
  checkAllowed(
    actor.key ? mayWithKey(actor.key, 'assertion.create', false) : { refusal: 'This takes a key for machines.' },
  )
  return actor
}

/** Fails with `invalid` unless a form of the kind accepts the value for this property. Only people make links. */
function checkValue(kind: Kind, name: string, value: string): void {
  const field = kind.fields[name]
  if (!field || field.type === 'relation' || field.type === 'media')
    throw invalid({ property: ['Choose a property of this kind that takes a text.'] })
  const parsed = v.safeParse(schemaOf(kind, 'change'), { [name]: value })
  if (!parsed.success) throw invalid({ value: parsed.issues.map(({ message }) => message) })
}
