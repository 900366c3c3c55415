import { inDevanagari, phrase } from '../../base/language/languages.ts'
import { type KindKey, kinds, proseFields } from '../../domain/kinds/index.ts'
import { textOf } from '../../domain/names/text.ts'
import type { RecordRow } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import { shorten } from '../../engines/matching/index.ts'
import type { ListBody } from '../../platform/http/page.ts'
import type { PageContext } from './context.ts'
import { framePage } from './frame.ts'
import { faceImage, nameLink } from './home.ts'
import { type Html, html, type Part } from './html.ts'

type Asked = { q: string | undefined; kind: KindKey | undefined }

/** The page of results of a search, or of a whole kind. */
export function resultsPage(list: ListBody<Visible<RecordRow>>, { q, kind }: Asked, context: PageContext): string {
  const { say, language } = context
  const what = kind ? say(kinds[kind].labelPlural) : say(phrase('Everything'))
  const title = q === undefined ? what : `${q} – ${say(phrase('Search'))}`
  const many = language === 'ne' ? inDevanagari(String(list.count)) : String(list.count)
  return framePage({
    ...context,
    title,
    isUnlisted: q !== undefined,
    main: html`<h1>${q === undefined ? what : q}</h1>
<p class="small" role="status">${list.count === 0 ? say(phrase('Nothing was found. Fewer or other words may find more.')) : html`${say(phrase('Found'))}: ${many}${kind && q !== undefined ? ` · ${what}` : null}`}</p>
<ol class="hits">${list.results.map((it) => hitOf(it, context))}</ol>
${pagesOf(list, context)}`,
  })
}

function hitOf(it: Visible<RecordRow>, context: PageContext): Html {
  const prose = proseFields.map((name) => textOf(it.data[name])).find((text) => text !== '') ?? ''
  const place = textOf(it.data.location_name)
  return html`<li>${faceImage(it)}<div><p class="kind">${context.say(kinds[it.kind].label)}${place !== '' && ` · ${shorten(place, 80)}`}</p>${nameLink(it, context)}${prose !== '' && html`<p>${shorten(prose, 240)}</p>`}</div></li>`
}

function pagesOf({ next, previous }: ListBody<unknown>, { say }: PageContext): Part {
  if (next === null && previous === null) return null
  return html`<nav class="pages" aria-label="${say(phrase('Pages'))}"><span>${previous !== null && html`<a rel="prev" href="${previous}">← ${say(phrase('Back'))}</a>`}</span><span>${next !== null && html`<a rel="next" href="${next}">${say(phrase('Further'))} →</a>`}</span></nav>`
}
