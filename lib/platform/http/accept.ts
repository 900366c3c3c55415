/**
 * Which of the offered media types an Accept header asks for: the highest weight, among equals the one that is named more
 * exactly, then the one that is named earlier, then the one that is offered earlier. Undefined when the header excludes them all; a
 * header that says nothing asks for the first.
 */
export function preferredType(header: string | undefined, offered: readonly string[]): string | undefined {
  const ranges = rangesOf(header ?? '')
  if (ranges.length === 0) return offered[0]
  const rated = offered.flatMap((type) => {
    const [best] = ranges.filter((range) => covers(range.type, type)).sort((a, b) => exactness(b) - exactness(a))
    return best && best.weight > 0 ? [{ type, ...{ weight: best.weight, exact: exactness(best), at: best.at } }] : []
  })
  return rated.sort((a, b) => b.weight - a.weight || b.exact - a.exact || a.at - b.at)[0]?.type
}

type Range = { type: string; weight: number; at: number }

/** No honest header is longer; the rest is not read. */
const LONGEST = 1000

/** What is no media range is passed over. A comma within quotes belongs to a parameter. */
const rangesOf = (header: string): Range[] =>
  (header.slice(0, LONGEST).match(/(?:[^,"]|"[^"]*")+/g) ?? []).flatMap((part, at) => {
    const type = /^\s*([\w!#$&.+^*-]+\/[\w!#$&.+^*-]+)\s*(?:;|$)/.exec(part)?.[1]?.toLowerCase()
    const weight = /;\s*q=([01](?:\.\d{0,3})?)\s*(?:;|$)/i.exec(part)?.[1] ?? '1'
    return type ? [{ type, weight: Number(weight), at }] : []
  })

const covers = (range: string, type: string) =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))

const exactness = ({ type }: Range) => (type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2)
