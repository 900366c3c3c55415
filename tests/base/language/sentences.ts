import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { documentation } from '../../../deploy/packages/without-answers.ts'

/** What the code says to people, read from its syntax: what no run has shown is there as well. */

/** Every sentence and phrase in the sources, `{0}` for what is filled in, with the files in which it stands. */
export function sentencesOf(root: string, folders: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const file of folders.flatMap((folder) => sourcesIn(join(root, folder)))) {
    const { program, errors } = parseSync(file, readFileSync(file, 'utf8'))
    if (errors.length > 0) throw new Error(`${file} cannot be parsed`)
    for (const text of textsIn(program)) found.set(text, [...(found.get(text) ?? []), file.slice(root.length)])
  }
  return found
}

/** All but the catalogue itself. */
const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .filter((file) => !file.includes('/lib/base/language/'))

type Node = { type: string } & Record<string, unknown>

const isNode = (it: unknown): it is Node => typeof it === 'object' && it !== null && 'type' in it

/** What is said below a node; what is named a phrase counts whatever it looks like. */
function textsIn(node: unknown, isPhrase = false): string[] {
  if (Array.isArray(node)) return node.flatMap((it) => textsIn(it, isPhrase))
  if (!isNode(node) || isUnread(node)) return []
  const text = textOf(node)
  const own = text !== undefined && (isPhrase || isSentence(text) || isDocumentation(node)) ? [text] : []
  const children = calls(node, /Route$/) ? { ...node, arguments: withoutDocumentation(node.arguments) } : node
  const below = Object.values(children).flatMap((it) => textsIn(it, calls(node, /^phrase$/)))
  return [...own, ...below]
}

/** The arguments of a route without the members that only the API document shows, which is in English. */
const withoutDocumentation = (args: unknown): unknown[] =>
  (Array.isArray(args) ? args : []).flatMap((it) =>
    it.type === 'ObjectExpression'
      ? it.properties.filter((member: Node) => !(isNode(member.key) && documentation.has(String(member.key.name))))
      : it,
  )

/** The text of a literal or a template, or the name of what documents where it is used for something else. */
function textOf(node: Node): string | undefined {
  if (isDocumentation(node)) return String(node.name)
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return undefined
  const quasis = node.quasis.map(({ value }) => String(value.cooked))
  return quasis.map((text, at) => (at < quasis.length - 1 ? `${text}{${at}}` : text)).join('')
}

const calls = (node: Node, name: RegExp): boolean =>
  /^(?:Call|New)Expression$/.test(node.type) && isNode(node.callee) && name.test(String(node.callee.name))

/** `ABOUT_LOCKS`: a part of several descriptions of routes. */
const isDocumentation = (node: unknown): boolean =>
  isNode(node) && node.type === 'Identifier' && /^ABOUT_/.test(String(node.name))

/**
 * Names of modules, types, what documents, the help of metrics, errors that are answered by 500 without their words, what only
 * machines read, and texts beside which their Nepali stands.
 */
const isUnread = (node: Node): boolean =>
  node.type === 'ImportDeclaration' ||
  (node.type === 'VariableDeclarator' && isDocumentation(node.id)) ||
  /^TS\w*Type/.test(node.type) ||
  calls(node, /^(?:gauge|forMachines|(?:Syntax|Type|Range)?Error)$/) ||
  (node.type === 'ObjectExpression' && hasMember(node, 'text_ne')) ||
  (node.type === 'Property' && isNode(node.key) && node.key.name === 'help')

const hasMember = ({ properties }: Node, name: string): boolean =>
  Array.isArray(properties) && properties.some(({ key }) => isNode(key) && key.name === name)

/** A line of several words that ends as sentences do; what is filled in may stand behind the end. Patterns are none. */
const isSentence = (text: string): boolean =>
  /^(?=.*[a-z]{2}) ?[A-Za-z"{].* .*[^\s.?](?:[.?!]|:(?= ?\{))(?: ?\{\d+\})*$/.test(text) && !text.includes('(?')
