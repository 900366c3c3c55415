import type { SeenChange } from '../../domain/watches/changes.ts'
import { element, textElement, type Xml, xmlDocument } from '../oai/xml.ts'
import { pageAddress } from '../pages/address.ts'

/** The media type of Atom 1.0 (RFC 4287). */
export const ATOM = 'application/atom+xml'

/** What stands above the entries of a feed. `id` is a UUID. `updated` is used only if there is no entry. */
export type FeedHead = {
  id: string
  title: string
  author: string
  self: string
  updated: string
  language: string
  origin: string
}

/** Writes changes of public records as an Atom feed, in their order. `summaryOf` says in words what a change is. */
export function atomFeed(
  head: FeedHead,
  changes: readonly SeenChange[],
  summaryOf: (change: SeenChange) => string,
): string {
  return xmlDocument(
    element('feed', { xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': head.language }, [
      textElement('id', `urn:uuid:${head.id}`),
      textElement('title', head.title),
      textElement('updated', changes[0]?.at ?? head.updated),
      element('author', {}, [textElement('name', head.author)]),
      element('link', { rel: 'self', type: ATOM, href: head.self }),
      ...changes.map((change) => entryOf(change, head.origin, summaryOf(change))),
    ]),
  )
}

/** The id of an entry is the address of its change in `/data/changes/`. That address never changes. */
const entryOf = ({ number, at, record }: SeenChange, origin: string, summary: string): Xml =>
  element('entry', {}, [
    textElement('id', `${origin}/data/changes/${number}/`),
    textElement('title', record.name),
    textElement('updated', at),
    element('link', { rel: 'alternate', type: 'text/html', href: pageAddress(origin, record) }),
    element('category', { term: record.kind }),
    textElement('summary', summary),
  ])
