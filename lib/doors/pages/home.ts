import { inDevanagari, phrase } from '../../base/language/languages.ts'
import { audienceOf, openTier } from '../../base/visibility.ts'
import { type KindKey, kinds, recordKinds } from '../../domain/kinds/index.ts'
import { textOf } from '../../domain/names/text.ts'
import { picturesIn } from '../../domain/pictures/items.ts'
import { faceOf, imagePath, thumbnailAt } from '../../domain/pictures/view.ts'
import { resourcePath } from '../../domain/records/iri.ts'
import type { RecordRow } from '../../domain/records/items.ts'
import { listRecordRows } from '../../domain/records/lists.ts'
import { showLoaded, type Visible } from '../../domain/records/shown.ts'
import { shorten } from '../../engines/matching/index.ts'
import { scopeOf } from '../../platform/permissions.ts'
import { countsOfKinds } from '../../platform/table/lists.ts'
import { hasAddress } from './address.ts'
import type { PageContext } from './context.ts'
import { framePage, searchForm, serviceName, withLanguage } from './frame.ts'
import { type Html, html, jsonBlock, type Part } from './html.ts'

/** The newest records on the first page. */
const NEWEST = 12

export type HomeModel = { newest: readonly Visible<RecordRow>[]; counts: ReadonlyMap<KindKey, number> }

/** Loads the newest public records and how many there are of each kind. Six calls. */
export async function loadHome(): Promise<HomeModel> {
  const [page, sizes] = await Promise.all([
    listRecordRows({}, scopeOf(null), { limit: NEWEST, offset: 0 }),
    countsOfKinds(),
  ])
  const open = audienceOf(openTier)
  const counts = recordKinds.flatMap((kind) => {
    const many = sizes.get(kind)?.get(open) ?? 0
    return many > 0 ? [[kind, many] as const] : []
  })
  return {
    newest: showLoaded(null, page.results, page.found).filter(({ kind }) => hasAddress(kind)),
    counts: new Map(counts.sort(([, a], [, b]) => b - a)),
  }
}

/**
 * The first page: what the service is, search, kinds, the newest records. If the table did not answer, `model` is undefined, and the page
 * has only the first two.
 */
export function homePage(model: HomeModel | undefined, context: PageContext): string {
  const { say, origin } = context
  const name = serviceName(say)
  const about = say(
    phrase(
      'Temples, deities, festivals, people and places of Nepal, gathered by those who know them. Each value names its source and how sure it is.',
    ),
  )
  return framePage({
    ...context,
    title: name,
    description: about,
    canonical: `${origin}/`,
    hasOwnSearch: true,
    head: [jsonBlock('application/ld+json', siteOf(context))],
    main: html`<div class="hero"><h1>${name}</h1><p class="lead">${about}</p>
${searchForm(context)}</div>
${model && kindsOf(model, context)}
${model && newestOf(model, context)}`,
  })
}

/** The service in the words of schema.org, with its search. */
const siteOf = ({ origin, say, language }: PageContext): object => ({
  '@context': 'https://schema.org',
  '@type': 'WebSite',
  url: `${origin}/`,
  name: serviceName(say),
  inLanguage: language,
  potentialAction: {
    '@type': 'SearchAction',
    target: { '@type': 'EntryPoint', urlTemplate: `${origin}/resource/?q={q}` },
    'query-input': 'required name=q',
  },
})

function kindsOf({ counts }: HomeModel, context: PageContext): Part {
  const { say, language } = context
  if (counts.size === 0) return null
  const figure = (many: number) => (language === 'ne' ? inDevanagari(String(many)) : String(many))
  return html`<section aria-labelledby="kinds"><h2 id="kinds">${say(phrase('What there is'))}</h2><ul class="counts">${[
    ...counts,
  ].map(
    ([kind, many]) =>
      html`<li><a href="${withLanguage(`/resource/?kind=${kind}`, context)}">${say(kinds[kind].labelPlural)} <b>${figure(many)}</b></a></li>`,
  )}</ul></section>`
}

function newestOf({ newest }: HomeModel, context: PageContext): Part {
  const { say } = context
  if (newest.length === 0) return null
  return html`<section aria-labelledby="newest"><h2 id="newest">${say(phrase('Newest'))}</h2><ul class="cards">${newest.map(
    (it) =>
      html`<li class="card">${faceImage(it)}<div><p class="kind">${say(kinds[it.kind].label)}</p>${nameLink(it, context)}${placeLine(it)}</div></li>`,
  )}</ul></section>`
}

/** The name of a record as a link, and its other name below. Nepali readers get the Nepali name as the link, if there is one. */
export function nameLink(it: Visible<RecordRow>, context: PageContext): Html {
  const nepali = textOf(it.data.name_ne)
  const isNepali = context.language === 'ne' && nepali !== ''
  const [first, second] = isNepali ? [nepali, it.name] : [it.name, nepali]
  const path = withLanguage(`${resourcePath(it)}/`, context)
  return html`<a href="${path}"><bdi>${first}</bdi></a>${second !== '' && html`<p class="small" lang="${isNepali ? 'en' : 'ne'}"><bdi>${second}</bdi></p>`}`
}

/** The place of a record, in the words of the record. */
const placeLine = ({ data }: Visible<RecordRow>): Part => {
  const place = textOf(data.location_name) || textOf(data.has_current_location)
  return place !== '' && html`<p class="small">${shorten(place, 80)}</p>`
}

/** The picture that stands for a record. Its `alt` is empty, since the name stands beside it. */
export function faceImage({ entity_id, data }: Visible<RecordRow>): Part {
  const pictures = picturesIn(data)
  const face = faceOf(pictures) ?? pictures[0]
  if (!face) return null
  const { url, width, height } = thumbnailAt(imagePath(entity_id, face.id), {
    width: face.width ?? 400,
    height: face.height ?? 400,
  })
  return html`<img src="${url}" width="${width}" height="${height}" alt="" loading="lazy">`
}
