import { kindKeys, kinds } from '../kinds/index.ts'
import type { Passage } from './passage.ts'

/** Pages of the dashboard that any answer may lead to: the forms of the kinds, and the projects. */
const pages: ReadonlySet<string> = new Set([
  '/contribute/projects',
  ...kindKeys.flatMap((key) => {
    const { hub } = kinds[key]
    return hub ? [hub.route ?? `/contribute/${key.replaceAll('_', '-')}`] : []
  }),
])

/**
 * A text without the lines that ask to open a page, and the page that the last of them names: one of the list above, or
 * where a source of the answer is shown. Anything else leads nowhere, whatever the text says.
 */
export function separate(text: string, passages: readonly Passage[]): { content: string; nav: string | null } {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  const wanted = lines.findLast((line) => NAV.test(line))?.replace(NAV, '') ?? ''
  const path = wanted
    .trim()
    .replace(/^`+|`+$/g, '')
    .replace(/(?<=.)\/$/, '')
  const content = lines
    .filter((line) => !NAV.test(line))
    .join('\n')
    .trim()
  return { content, nav: pages.has(path) || passages.some((it) => it.url === path) ? path : null }
}

const NAV = /^\s*\**NAV\s*:\**/i

/** The page of the first source, when that is what is asked for in words. */
export const askedFor = (question: string, passages: readonly Passage[]): string | null =>
  /^\s*(please\s+)?(open|go to|take me to|navigate to)\b/i.test(question) ? (passages[0]?.url ?? null) : null
