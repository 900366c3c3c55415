import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import { parseSync } from 'oxc-parser'

/** The members of a route that only document it: those of `Documented` in lib/platform/http/answer.ts. */
export const documentation: ReadonlySet<string> = new Set([
  'summary',
  'description',
  'answer',
  'errors',
  'answerHeaders',
  'shownBody',
  'operationId',
  'example',
])

/**
 * Leaves the documentation of routes out of a bundle, and with it the schemas that nothing else uses. Only the API document and the type
 * check read them, so a function serves requests without them.
 */
export const withoutAnswers: Plugin = {
  name: 'without-answers',
  setup: (it) => {
    it.onLoad({ filter: /\/(?:functions|lib)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const contents = source.includes('Route({') ? withoutDocumentation(path, source) : source
      // `s.shape` has no side effect: marked as pure, esbuild drops the call if nothing uses its result.
      return { contents: contents.replaceAll(' s.shape(', ' /* @__PURE__ */ s.shape('), loader: 'ts' }
    })
  },
}

/** The source of a file without the members that document its routes. */
function withoutDocumentation(path: string, source: string): string {
  const spans: [number, number][] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each)
    if (!isNode(node)) return
    if (node.type === 'CallExpression' && /^\w+Route$/.test(node.callee?.name ?? ''))
      for (const member of node.arguments?.[0]?.properties ?? [])
        if (documentation.has(member.key?.name ?? '')) spans.push([member.start, member.end])
    for (const [name, each] of Object.entries(node)) if (name !== 'parent') visit(each)
  }
  visit(parseSync(path, source).program)
  const bare = spans
    .reverse()
    .reduce((text, [from, to]) => text.slice(0, from) + text.slice(to).replace(/^,/, ''), source)
  // A module of this name holds examples alone.
  return bare.replaceAll(/^import .* from '.*\/excerpt\.ts'$/gm, '')
}

type Node = {
  type: string
  start: number
  end: number
  key?: { name?: string }
  callee?: { name?: string }
  arguments?: { properties?: Node[] }[]
}
const isNode = (it: unknown): it is Node => typeof it === 'object' && it !== null && 'type' in it
