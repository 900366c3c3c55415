import type { Say } from '../../base/language/catalogue.ts'
import type { Language } from '../../base/language/languages.ts'
import { sayIn } from '../../base/language/say.ts'
import type { Request } from '../../platform/http/request.ts'

/** For whom and where a page is made. `path` and `query` are those of the request. */
export type PageContext = Pick<Request, 'origin' | 'path' | 'query'> & { language: Language; say: Say }

/** Chooses the language of a page, and sets it on the request: `lang` of the link, else that of the reader. */
export async function pageContext(request: Request, lang: string): Promise<PageContext> {
  if (lang === 'en' || lang === 'ne') request.language = lang
  request.say = await sayIn(request.language)
  // The answer then names its language, and caches keep the languages apart.
  request.isTranslated = true
  const { origin, path, query, language, say } = request
  return { origin, path, query, language, say }
}
