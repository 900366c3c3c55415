import { inDevanagari, type Language, phrase } from '../../base/language/languages.ts'
import { isCoarse, isForEveryone } from '../../base/visibility.ts'
import { type KindKey, kinds, type Picture, predicateOf } from '../../domain/kinds/index.ts'
import { labelsView, pictureOf, type ShownLabel } from '../../domain/labels/labels.ts'
import { namesOf, textOf } from '../../domain/names/text.ts'
import { picturesIn } from '../../domain/pictures/items.ts'
import { faceOf, fitInto, imagePath, licenceAddress, sizedPath } from '../../domain/pictures/view.ts'
import { persistentAddress, resourcePath } from '../../domain/records/iri.ts'
import { changedAt } from '../../domain/records/items.ts'
import { visibleValuesAndPoint } from '../../domain/records/views/record.ts'
import { shorten } from '../../engines/matching/index.ts'
import { maySeePlace } from '../../platform/permissions.ts'
import { recordFormats } from '../linked/formats.ts'
import { dashboardAddress, formPath, publicLicence } from './address.ts'
import type { PageContext } from './context.ts'
import { framePage, serviceName, withLanguage } from './frame.ts'
import { type Html, html, jsonBlock, type Part, webAddress } from './html.ts'
import { coordinatesText, mapOf } from './map.ts'
import type { RecordModel } from './record-model.ts'
import { schemaOrgOf } from './schema-org.ts'
import { evidenceOf, groundsOf, sourceList, valueTable } from './values.ts'

/** The page about a record. */
export function recordPage(model: RecordModel, context: PageContext): string {
  const { record, at } = model
  const { say, language, origin } = context
  const { data } = visibleValuesAndPoint(record, model.actor)
  const nepali = textOf(data.name_ne)
  const isNepali = language === 'ne' && nepali !== ''
  const [title, other] = isNepali ? [nepali, record.name] : [record.name, nepali]
  const description = textOf(data.description)
  const names = namesOf(record.name, data).filter((name) => name !== record.name && name !== nepali)
  return framePage({
    ...context,
    title,
    description: shorten(description || `${say(kinds[record.kind].label)}: ${record.name}`, 200),
    canonical: dashboardAddress(record) ?? `${origin}${resourcePath(record)}`,
    isUnlisted: at !== undefined || !record.public || !isForEveryone(record.access_tier),
    head: [
      ...recordFormats
        .filter(({ name }) => name !== 'html')
        .map(
          ({ name, type }) =>
            html`<link rel="alternate" type="${type}" href="${origin}${formPath(record, name, model.at)}">\n`,
        ),
      jsonBlock('application/ld+json', schemaOrgOf(model, context)),
    ],
    main: html`${noticeOf(model, context)}
<article class="columns">
<div class="head">
<p class="kind">${say(kinds[record.kind].label)}</p>
<h1 lang="${isNepali ? 'ne' : isDevanagari(title) ? 'ne' : language}"><bdi>${title}</bdi></h1>
${other !== '' && html`<p class="other" lang="${isNepali ? 'en' : 'ne'}"><bdi>${other}</bdi></p>`}
${names.length > 0 && html`<p class="also">${say(phrase('Also called'))}: ${names.join(', ')}</p>`}
${description !== '' && [html`<p class="lead">${description}</p>`, evidenceOf('description', model, context)]}
</div>
<div class="body">
${labelsOf(model, context)}
<section aria-labelledby="values"><h2 id="values">${say(phrase('What is known'))}</h2>
${valueTable(model, context)}</section>
${relationsOf(model, context)}
${historyOf(model, context)}
${sourceList(model, context)}
</div>
<div class="side">
${picturesOf(model, context)}
${placeOf(model, context)}
${citationOf(model, context)}
${representationsOf(model, context)}
</div>
</article>`,
  })
}

const isDevanagari = (text: string) => /\p{Script=Devanagari}/u.test(text)

/** What a reader must know before the rest: that this is of the past, waits, or is not for everyone. */
function noticeOf({ record, at }: RecordModel, context: PageContext): Part {
  const { say } = context
  if (at !== undefined)
    return html`<p class="notice">${say(phrase('This is how it stood at an earlier time'))}: <time datetime="${at}">${dayOf(at, context)}</time>. <a href="${withLanguage(`${resourcePath(record)}/`, context)}">${say(phrase('Read what stands today'))}</a></p>`
  if (!record.public)
    return html`<p class="notice">${say(phrase('This waits for review. Only those who work on it see it.'))}</p>`
  if (!isForEveryone(record.access_tier))
    return html`<p class="notice">${say(phrase('Only people who are signed in see this.'))}</p>`
  return null
}

/** What communities say of the use of the record, and to which part of the record each label belongs. */
function labelsOf({ record }: RecordModel, { language, say }: PageContext): Part {
  const partOf = (label: ShownLabel) => {
    if (label.on === null) return null
    return html` – ${say(pictureOf(label) === undefined ? (kinds[record.kind].fields[label.on]?.label ?? label.on) : phrase('Picture'))}`
  }
  if (record.labels.length === 0) return null
  return html`<section aria-labelledby="labels"><h2 id="labels">${say(phrase('How it may be used'))}</h2><ul class="plain">${labelsView(
    record.labels,
  ).map((it) => {
    const [name, text] = language === 'ne' ? [it.name_ne, it.text_ne] : [it.name, it.text]
    const address = webAddress(it.url)
    return html`<li><strong>${address === undefined ? name : html`<a href="${address}" rel="noopener">${name}</a>`}</strong>${partOf(it)}${it.community !== '' && it.community !== name && ` (${it.community})`}: ${text}</li>`
  })}</ul></section>`
}

/** The whole history as JSON. */
const historyPath = ({ kind, id, entity_id }: RecordModel['record']) =>
  kinds[kind].record ? `/cidoc/${kinds[kind].segment}/${id}/history/` : `/data/entities/${entity_id}/history/`

/** What other records say of this one, and accepted relationships. */
function relationsOf(model: RecordModel, context: PageContext): Part {
  const { say } = context
  const { record, neighbours } = model
  const own = new Set(Object.keys(kinds[record.kind].fields))
  const shown = neighbours.filter(({ direction, relation }) => direction === 'inbound' || !own.has(relation))
  if (shown.length === 0) return null
  const claimed = (relation: string, { kind, id }: (typeof neighbours)[number]['record']) =>
    model.claims.find(
      (claim) =>
        claim.asserted_property === `relationship.${relation}` &&
        claim.object_entity_type === kind &&
        String(claim.object_entity_id) === String(id),
    )
  return html`<section aria-labelledby="links"><h2 id="links">${say(phrase('Linked with'))}</h2><ul class="plain">${shown.map(
    ({ direction, relation, record: other }) => {
      const claim = direction === 'outbound' ? claimed(relation, other) : undefined
      return html`<li>${relationWords(direction === 'inbound' ? other.kind : record.kind, relation, direction, context)} <a href="${withLanguage(`${resourcePath(other)}/`, context)}"><bdi>${(context.language === 'ne' && textOf(other.data.name_ne)) || other.name}</bdi></a> <span class="small">${say(kinds[other.kind].label)}</span>${claim && html`<br><span class="small">${groundsOf(claim, model, context)}</span>`}</li>`
    },
  )}</ul></section>`
}

/** How a link reads from this record. A link that another record states is named by the field of that record, after an arrow. */
function relationWords(kind: KindKey, relation: string, direction: 'inbound' | 'outbound', { say }: PageContext): Html {
  const label = kinds[kind].fields[relation]?.label ?? predicateOf(relation)?.label ?? relation.replaceAll('_', ' ')
  return direction === 'inbound'
    ? html`<span class="small"><span aria-hidden="true">← </span>${say(label)}:</span>`
    : html`<span class="small">${say(label)}:</span>`
}

const events = {
  sent_in: phrase('Sent in'),
  published: phrase('Published'),
  changed: phrase('Changed'),
  decided: phrase('Decided'),
  deleted: phrase('Deleted'),
  restored: phrase('Restored'),
} as const

/** The history: what became public, when and by whom, and what changed. */
function historyOf({ record, story, mementos }: RecordModel, context: PageContext): Part {
  const { say } = context
  if (story.results.length === 0) return null
  return html`<section aria-labelledby="history"><h2 id="history">${say(phrase('History'))}</h2><ol class="story">${story.results.map(
    (entry) => {
      const people = [entry.author?.username, entry.decided_by?.username].filter((it) => it !== undefined)
      const memento = mementos.includes(entry.at)
        ? `${resourcePath(record)}/?at=${encodeURIComponent(entry.at)}`
        : undefined
      const day = html`<time datetime="${entry.at}">${dayOf(entry.at, context)}</time>`
      const changes = entry.event === 'published' ? [] : entry.changes
      return html`<li>${memento === undefined ? day : html`<a href="${withLanguage(memento, context)}">${day}</a>`} · ${say(events[entry.event])}${people.length > 0 && html` <span class="small">(${[...new Set(people)].join(', ')})</span>`}${entry.note !== '' && html`<br><span class="small">${entry.note}</span>`}${changes.length > 0 && html`<ul>${changes.map(changeOf)}</ul>`}</li>`
    },
  )}</ol>
${story.next !== null && html`<p class="small"><a href="${historyPath(record)}">${say(phrase('The whole history'))}</a></p>`}</section>`
}

const changeOf = ({ label, before, after }: { label: string; before: string | null; after: string | null }): Html =>
  html`<li>${label}: ${before !== null && html`<del>${shorten(before, 160)}</del>`}${before !== null && after !== null && html` <span aria-hidden="true">→</span> `}${after !== null && html`<ins>${shorten(after, 160)}</ins>`}</li>`

const dayOf = (at: string, { language }: { language: Language }) =>
  language === 'ne' ? inDevanagari(at.slice(0, 10)) : at.slice(0, 10)

/** The longer side of the picture on a page, in pixels. */
const SIDE = 800

function picturesOf({ record, actor }: RecordModel, { say }: PageContext): Part {
  const pictures = picturesIn(visibleValuesAndPoint(record, actor).data)
  const face = faceOf(pictures)
  const sorted = face === undefined ? pictures : [face, ...pictures.filter((it) => it !== face)]
  if (sorted.length === 0) return null
  return html`<section class="pictures" aria-label="${say(phrase('Pictures'))}">${sorted.slice(0, 6).map((picture, i) => figureOf(record, picture, i, say))}${sorted.length > 6 && html`<p class="small"><a href="/data/manifests/records/${record.entity_id}/">${say(phrase('All pictures'))} (IIIF)</a></p>`}</section>`
}

function figureOf(
  { entity_id, name }: { entity_id: string; name: string },
  picture: Picture,
  i: number,
  say: PageContext['say'],
): Html {
  const size = fitInto({ width: picture.width ?? SIDE, height: picture.height ?? SIDE }, SIDE)
  const path = imagePath(entity_id, picture.id)
  const licence = picture.licence ?? ''
  const address = webAddress(licenceAddress(licence) ?? '')
  const credits: Part[] = [picture.caption ?? '', picture.creator ?? '', picture.date ?? ''].filter((it) => it !== '')
  const terms = licence === '' ? say(phrase('No licence is given')) : licence.replace(/^https?:\/\//, '')
  const all = [
    ...credits,
    address === undefined ? terms : html`<a rel="license noopener" href="${address}">${terms}</a>`,
  ]
  return html`<figure><a href="${path}/full/max/0/default.jpg"><img src="${sizedPath(path, size)}" width="${size.width}" height="${size.height}" alt="${picture.caption || name}"${i > 0 && html` loading="lazy"`}></a><figcaption>${all.map((part, n) => (n === 0 ? part : html` · ${part}`))}</figcaption></figure>`
}

function placeOf(model: RecordModel, context: PageContext): Part {
  const { record, actor, neighbours } = model
  const { say, language } = context
  const { point } = visibleValuesAndPoint(record, actor)
  if (!point) return null
  const isRounded = isCoarse(record.access_tier) && !maySeePlace(actor, record)
  const others = neighbours.flatMap(({ record: other }) => visibleOtherPoint(other, actor))
  const osm = `https://www.openstreetmap.org/?mlat=${point.lat}&mlon=${point.lng}#map=${isRounded ? 12 : 17}/${point.lat}/${point.lng}`
  return html`<section aria-labelledby="place"><h2 id="place">${say(phrase('Where it is'))}</h2>${mapOf({ point, isCoarse: isRounded, others }, language, say)}
<p class="small">${coordinatesText(point, language)} ${isRounded ? say(phrase('The exact place is not shown.')) : html`<a href="${osm}" rel="noopener">OpenStreetMap</a>`}</p></section>`
}

/** The point of a linked thing, unless its place is hidden from this reader. */
const visibleOtherPoint = (
  other: Parameters<typeof maySeePlace>[1] & { point: { lat: number; lng: number } | null },
  actor: RecordModel['actor'],
) => (other.point && maySeePlace(actor, other) ? [other.point] : [])

/** How to cite the record, with the address that stays. */
function citationOf({ record, at }: RecordModel, context: PageContext): Html {
  const { say, origin } = context
  const licence = publicLicence()
  const when = at ?? changedAt(record)
  const address = `${persistentAddress(origin, record)}${at === undefined ? '' : `/?at=${encodeURIComponent(at)}`}`
  return html`<section aria-labelledby="cite"><h2 id="cite">${say(phrase('How to cite'))}</h2><p class="cite">“${record.name}”. ${serviceName(say)}, ${say(phrase('state of'))} ${dayOf(when, context)}. <a href="${address}">${address}</a></p>
${licence !== undefined && html`<p class="small">${say(phrase('Licence'))}: <a rel="license noopener" href="${licence}">${licence.replace(/^https?:\/\//, '')}</a></p>`}</section>`
}

/** Links to the record in forms for programs, as it is shown. Its manifest has the pictures of today. */
const representationsOf = ({ record, at }: RecordModel, { say }: PageContext): Html =>
  html`<section aria-labelledby="forms"><h2 id="forms">${say(phrase('For programs'))}</h2><p class="small">${[
    ...recordFormats
      .filter(({ name }) => name !== 'html')
      .map(({ name, label }) => html`<a href="${formPath(record, name, at)}">${label}</a>`),
    html`<a href="${resourcePath(record)}/timemap/">TimeMap</a>`,
    at === undefined && picturesIn(record.data).length > 0
      ? html`<a href="/data/manifests/records/${record.entity_id}/">IIIF</a>`
      : null,
  ].flatMap((part, i) => (part === null ? [] : [i === 0 ? part : html` · ${part}`]))}</p></section>`
