import { phrase } from '../../base/language/languages.ts'
import { type Field, kinds, nameFieldsOf } from '../../domain/kinds/index.ts'
import { confidence as confidences, optionsOf, sourceType, type Vocabulary } from '../../domain/kinds/schema/enums.ts'
import { isLink, textOf } from '../../domain/names/text.ts'
import { resourcePath, sameThingIri } from '../../domain/records/iri.ts'
import type { Assertion } from '../../domain/records/items.ts'
import { isPlaceHidden } from '../../domain/records/place.ts'
import { assertionView, visibleValues } from '../../domain/records/views/record.ts'
import { shorten } from '../../engines/matching/index.ts'
import { hasAddress } from './address.ts'
import type { PageContext } from './context.ts'
import { withLanguage } from './frame.ts'
import { type Html, html, type Part, webAddress } from './html.ts'
import type { RecordModel } from './record-model.ts'

/** The values of a record, each with what it rests on: source, confidence, author, and the claims that rival it. */

/** Fields that the page shows elsewhere, or that say nothing to a reader. */
const elsewhere = ['description', 'images', 'access_tier', 'has_provenance_assertion', 'care_labels']

type Row = { name: string; field: Field; value: unknown }

/** Lists the values that the table of a page shows, in the order of the kind's fields. */
function valueRows({ record, actor }: RecordModel): Row[] {
  const kind = kinds[record.kind]
  const data = visibleValues(record, record.data, actor)
  const hidden = [...nameFieldsOf(kind), ...elsewhere]
  const rows = Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = data[name]
    return hidden.includes(name) || textOf(value) === '' ? [] : [{ name, field, value }]
  })
  // Short values come before prose, since readers look them up.
  return [
    ...rows.filter(({ field }) => field.type !== 'textarea'),
    ...rows.filter(({ field }) => field.type === 'textarea'),
  ]
}

/** The table of values. */
export const valueTable = (model: RecordModel, context: PageContext): Html => html`<dl class="values">
${valueRows(model).map(
  ({ name, field, value }) => html`<div><dt>${context.say(field.label)}</dt><dd>
<div class="value">${valueMarkup({ name, field, value }, model, context)}</div>
${evidenceOf(name, model, context)}</dd></div>
`,
)}</dl>`

function valueMarkup({ name, field, value }: Row, { record, dates }: RecordModel, context: PageContext): Part {
  const { say } = context
  if (typeof value === 'boolean') return say(value ? phrase('Yes') : phrase('No'))
  if (field.type === 'relation' && Array.isArray(value)) return linksOf(field, value, context)
  if (Array.isArray(value)) {
    const thingOf = field.slot_uri === 'owl:sameAs' ? sameThingIri : undefined
    return joinParts(value.map(textOf).map((each) => linkedText(each, thingOf?.(each))))
  }
  const text = textOf(value)
  if (field.vocabulary) return say(labelIn(field.vocabulary, text))
  const shown = dates.dateOf({ of: record, member: name, words: value })
  if (shown && shown.text !== text) return html`${text} <span class="small">(${shown.text})</span>`
  return linkedText(text)
}

/** Records that a value names. One that this reader may not see has no link. */
const linksOf = (field: Field, value: readonly unknown[], context: PageContext): Part =>
  joinParts(
    value.filter(isLink).map(({ id, name }) => {
      const kind = field.relation && kinds[field.relation]
      if (!kind || id === null) return name
      const path =
        hasAddress(kind.key) && typeof id === 'number' ? `${resourcePath({ kind: kind.key, id })}/` : undefined
      if (path === undefined) return kind.key === 'data_source' ? sourceLink(String(id), name) : name
      return html`<a href="${withLanguage(path, context)}">${name}</a>`
    }),
  )

const joinParts = (parts: readonly Part[]): Part => parts.map((part, i) => (i === 0 ? part : html`, ${part}`))

/** A text. It becomes a link if the text or `thing` is an address of the web. */
function linkedText(text: string, thing = ''): Part {
  const address = webAddress(text) ?? webAddress(thing)
  return address === undefined ? text : html`<a href="${address}" rel="nofollow noopener">${text}</a>`
}

const sourceLink = (id: string, name: string): Html =>
  html`<a href="/cidoc/data_sources/${encodeURIComponent(id)}/">${name}</a>`

/** The claims about a property that readers see: those that stand, and their rivals. */
function claimsOn(property: string, { claims, record }: RecordModel): { standing: Assertion[]; rivals: Assertion[] } {
  const own = claims.filter((claim) => claim.asserted_property === property)
  const accepted = own.filter((claim) => claim.reconciliation_status === 'accepted')
  const disputed = own.filter((claim) => claim.reconciliation_status === 'disputed')
  if (accepted.length > 0) return { standing: accepted, rivals: disputed }
  const text = textOf(record.data[property])
  const standing = disputed.filter((claim) => claim.asserted_value === text)
  return { standing, rivals: disputed.filter((claim) => !standing.includes(claim)) }
}

/** What a value rests on, and what rivals it. */
export function evidenceOf(property: string, model: RecordModel, context: PageContext): Part {
  const { say } = context
  const { standing, rivals } = claimsOn(property, model)
  const isHidden = isPlaceHidden(model.record, property, model.actor)
  const readable = rivals.filter((claim) => assertionView(claim, isHidden).asserted_value !== '')
  return [
    html`<ul class="from">${standing.length === 0 ? html`<li>${say(phrase('No source is given.'))}</li>` : standing.map((claim) => html`<li>${groundsOf(claim, model, context)}</li>`)}</ul>`,
    readable.length > 0 &&
      html`<div class="rivals"><h3>${say(phrase('Others say'))}</h3><ul>${readable.map(
        (claim) =>
          html`<li><span class="value">${linkedText(assertionView(claim, isHidden).asserted_value)}</span><br><span class="small">${groundsOf(claim, model, context)}</span></li>`,
      )}</ul></div>`,
  ]
}

/** The source of a claim, how sure it is, and whose it is. */
export function groundsOf(claim: Assertion, model: RecordModel, context: PageContext): Part {
  const { say } = context
  const sources = sourcesOf(claim, model, context)
  const note = claim.data_quality_note
  return [
    sources.length > 0 ? joinParts(sources) : say(phrase('No source is given.')),
    html` · ${confidenceOf(claim, context)} · ${claim.contributed_by}`,
    claim.software !== null && html` (${claim.software})`,
    html` · <time datetime="${claim.created_at}">${claim.created_at.slice(0, 10)}</time>`,
    note !== '' && html`<br>${note}`,
  ]
}

/** The sources of a claim, each with its number in the list of sources. */
const sourcesOf = (claim: Assertion, model: RecordModel, context: PageContext): Part[] =>
  sourcesIn(claim, model, context).map((source) => {
    const number = numberedSources(model, context).findIndex((it) => isSameSource(it, source)) + 1
    return html`<a href="#source-${number}">${shorten(source.words, 44)} [${number}]</a>`
  })

/** A source as readers see it: its words, and where it can be read. `sort` is what kind of source it is. */
type ShownSource = { words: string; address: string | undefined; sort: string }
const isSameSource = (one: ShownSource, other: ShownSource) =>
  one.words === other.words && one.address === other.address && one.sort === other.sort

function sourcesIn(claim: Assertion, { sources }: RecordModel, { say }: PageContext): ShownSource[] {
  const ids = new Set([...(claim.source ? [claim.source] : []), ...claim.supporting_sources])
  const registered = [...ids].flatMap((id): ShownSource[] => {
    const name = sources.get(id)
    return name === undefined
      ? []
      : [{ words: name, address: `/cidoc/data_sources/${encodeURIComponent(id)}/`, sort: '' }]
  })
  const sort = claim.source_type === '' ? '' : say(labelIn(sourceType, claim.source_type))
  const words = claim.source_citation || claim.source_url
  if (words !== '') return [{ words, address: webAddress(claim.source_url), sort }, ...registered]
  return registered.length > 0 || sort === '' ? registered : [{ words: sort, address: undefined, sort: '' }]
}

/** All sources that the page names, each once. */
const numberedSources = (model: RecordModel, context: PageContext): readonly ShownSource[] => {
  const known = numbered.get(model)
  if (known) return known
  const all: ShownSource[] = []
  for (const source of model.claims.flatMap((claim) => sourcesIn(claim, model, context)))
    if (!all.some((it) => isSameSource(it, source))) all.push(source)
  numbered.set(model, all)
  return all
}
const numbered = new WeakMap<RecordModel, readonly ShownSource[]>()

/** The list of sources to which the values lead. */
export function sourceList(model: RecordModel, context: PageContext): Part {
  const all = numberedSources(model, context)
  if (all.length === 0) return null
  return html`<section aria-labelledby="sources"><h2 id="sources">${context.say(phrase('Sources'))}</h2><ol class="sources">${all.map(
    ({ words, address, sort }, i) =>
      html`<li id="source-${i + 1}">${address === undefined ? words : html`<a href="${address}" rel="nofollow noopener">${words}</a>`}${sort !== '' && html` <span class="small">(${sort})</span>`}</li>`,
  )}</ol></section>`
}

/** The label of a value of a list. Old values that the list does not have stay as they are. */
const labelIn = (vocabulary: Vocabulary, value: string): string =>
  optionsOf(vocabulary).find((it) => it.value === value)?.label ?? value

/** How sure a claim is, in the words of the list. */
function confidenceOf({ confidence, confidence_score: score }: Assertion, { say }: PageContext): Html {
  const sort = Object.hasOwn(confidences.values, confidence) ? confidence : ''
  return html`<span class="sure ${sort}">${say(labelIn(confidences, confidence))}${score === null ? null : ` (${Math.round(score * 100)} %)`}</span>`
}
