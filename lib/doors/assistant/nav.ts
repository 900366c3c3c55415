import { kindKeys, kinds } from '../../domain/kinds/index.ts'
import type { Passage } from './passage.ts'

/** Pages of the dashboard that any reply may open: the forms of the kinds, and the projects. */
const pages: ReadonlySet<string> = new Set([
  '/contribute/projects',
  ...kindKeys.flatMap((key) => {
    const { hub } = kinds[key]
    return hub ? [hub.route ?? `/contribute/${key.replaceAll('_', '-')}`] : []
  }),
])

/**
 * Takes `NAV:` lines out of a text. `nav` is the page that the last such line names, if it is one of `pages` or the page of a source.
 * Otherwise it is null.
 */
export function separateNavigation(
  text: string,
  passages: readonly Passage[],
): { content: string; nav: string | null } {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  const target = lines.findLast((line) => NAV.test(line))?.replace(NAV, '') ?? ''
  const path = target
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

/** The page of the first source, if the question asks to open something. Example: "open Nyatapola". */
export const pageToOpen = (question: string, passages: readonly Passage[]): string | null =>
  /^\s*(please\s+)?(open|go to|take me to|navigate to)\b/i.test(question) ? (passages[0]?.url ?? null) : null
