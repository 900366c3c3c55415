import { phrase } from '../../base/language/languages.ts'
import { preferredType } from '../../platform/http/accept.ts'
import { HTML, JSON_TYPE } from '../../platform/http/media.ts'
import { Reply } from '../../platform/http/reply.ts'
import type { Request } from '../../platform/http/request.ts'
import { pageContext } from './context.ts'
import { framePage, searchForm, withLanguage } from './frame.ts'
import { html } from './html.ts'
import { pageHeaders } from './style.ts'

/** The words of the page that a browser gets for 404 and 410. */
const words = {
  404: {
    title: phrase('There is nothing at this address'),
    text: phrase('It may have another address, or not be open to everyone. A search may find it.'),
  },
  410: {
    title: phrase('This was taken away'),
    text: phrase('What stood at this address is not published any more. A search may find something else.'),
  },
} as const

/** Whether a browser asks: by `?format=html`, or because it puts HTML before JSON. */
const wantsPage = ({ method, query, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (query.format === undefined
    ? preferredType(headers.accept, [JSON_TYPE, HTML]) === HTML
    : query.format.toLowerCase() === 'html')

/**
 * The page of a refusal, for a browser. Undefined for other clients, and for refusals that have no page. It reveals nothing of hidden
 * records.
 */
export async function failurePage(request: Request, status: number): Promise<Reply | undefined> {
  if ((status !== 404 && status !== 410) || !wantsPage(request)) return undefined
  const context = await pageContext(request, request.query.lang ?? '')
  const { say } = context
  const { title, text } = words[status]
  const page = framePage({
    ...context,
    title: say(title),
    isUnlisted: true,
    hasOwnSearch: true,
    main: html`<div class="hero"><h1>${say(title)}</h1><p class="lead">${say(text)}</p>${searchForm(context)}
<p><a href="${withLanguage('/', context)}">${say(phrase('To the first page'))}</a></p></div>`,
  })
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    vary: 'Origin, Accept-Encoding, Accept',
    ...pageHeaders,
  }
  return new Reply(status, page, headers)
}
