import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Service } from './service.ts'
import { askPython, judge, type Suite, say, versionIn } from './suite.ts'

/** Suites that ask a running service. */

/** Seconds for which schemathesis asks. */
const ASKING_SECONDS = 120

export const schemathesis: Suite = {
  name: 'schemathesis: every operation of a running service',
  install: 'pip install schemathesis',
  run: async ({ folder, service }) => {
    const version = await say('schemathesis', ['--version'])
    if (version === undefined) return undefined
    const { address } = await service()

    const given = [
      ...['run', `${address}/schema/`, '--header', 'x-dev-user: dev@heritage.test'],
      ...['--phases', 'examples,coverage', '--max-time', String(ASKING_SECONDS), '--continue-on-failure'],
      ...[
        '--checks',
        'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance',
      ],
      ...['--report', 'junit', '--report-dir', folder, '--workers', '2', '--suppress-health-check', 'all'],
    ]
    // It keeps a folder of its own where it runs.
    const told = await say('schemathesis', given, folder)
    const [report = ''] = globSync(join(folder, '*.xml'))
    const xml = report === '' ? '' : await readFile(report, 'utf8')
    const operations = xml.match(/<testcase /g)?.length ?? 0
    if (operations === 0) throw new Error(`schemathesis asked nothing:\n${told}`)
    const failures = [...xml.matchAll(/<(?:failure|error)[^>]*message="([^"]*)"/g)].map(([, text = '']) => text)
    return { version: versionIn(version), cases: `${operations} operations`, ...judge(failures, []) }
  },
}

/** What the inspector asks, by what must stand in the answer. `id`: a record that everyone may read. */
const questionsAbout = (
  id: string,
): readonly (readonly [tool: string, args: Record<string, string>, told: RegExp])[] => [
  ['search', { query: 'temple' }, /claim_id/],
  ['read_record', { id }, /claim_id/],
  ['explain', { id, property: 'name' }, /claim_id/],
  ['suggest_duplicates', { name: 'Nyatapola', kind: 'structure' }, /claim_id/],
  ['read_record', { id: 'nothing' }, /"isError": true/],
  // Nobody proposes without a key.
  [
    'propose_value',
    { id, property: 'note', value: 'Of brick.', source_type: 'book', source_citation: 'A book' },
    /Authentication credentials were not provided/,
  ],
]

export const mcpInspector: Suite = {
  name: 'MCP inspector: the tools of machines',
  install: 'npm install --global @modelcontextprotocol/inspector',
  run: async ({ folder, service }) => {
    if ((await say('mcp-inspector', ['--help'])) === undefined) return undefined
    const { address, ask } = await service()
    const { results } = await ask('dev', 'GET', '/cidoc/structures/?limit=1')
    const [{ cultural_entity_id: id }] = results as [{ cultural_entity_id: string }]
    const inspect = async (...asked: string[]) =>
      (await say('mcp-inspector', ['--cli', `${address}/mcp`, '--transport', 'http', '--method', ...asked], folder)) ??
      ''
    const listed = await inspect('tools/list')
    const failures = questionsAbout(id).flatMap(([tool]) =>
      listed.includes(`"${tool}"`) ? [] : [`${tool} is not listed`],
    )
    for (const [tool, args, told] of questionsAbout(id)) {
      const given = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`])
      const text = await inspect('tools/call', '--tool-name', tool, ...given)
      if (!told.test(text)) failures.push(`${tool}: ${text.slice(0, 300)}`)
    }
    const version = versionIn((await say('npm', ['ls', '--global', '@modelcontextprotocol/inspector'])) ?? '')
    return { version, cases: `${questionsAbout(id).length + 1} questions`, failures, known: new Map() }
  },
}

/** What a script of this folder found: each case, and what is wrong with it. */
type Found = { version: string; cases: number; failures: string[] }

/** The id that the suite's own picture has at the Image API of a service, once it is published. */
async function publishPicture({ ask }: Service, picture: Uint8Array<ArrayBuffer>): Promise<string> {
  const form = new FormData()
  form.set('file', new File([picture], 'validation.png', { type: 'image/png' }))
  const sent = await ask('dev', 'POST', '/data/pictures/', form)
  const images = [{ ...sent, caption: 'Coloured squares', creator: 'Somebody', licence: 'CC0-1.0' }]
  const made = await ask('dev', 'POST', '/cidoc/structures/', { name: 'House of coloured squares', images })
  await ask('curator', 'POST', `/data/review-workspace/${made.cultural_entity_id}/decide/`, { verdict: 'accept' })
  return `${made.cultural_entity_id}.${sent.id}`
}

const IMAGE_FAULTS = [
  [
    /^size_noup: .*size='!/,
    'version 3 has `!w,h` answer no more than the region where that is smaller, and no failure',
  ],
  [
    /^size_up: .*class "size" not found/,
    'it has `^max` no larger than the image, where version 3 has it as large as the server allows, and cannot say so',
  ],
  [/^format_error_random: .*default\.\S*\\/, 'a backslash in an address is no part of its last segment'],
] as const

export const iiifValidator: Suite = {
  name: 'iiif-validator-ng: the Image API, level 2 of version 3',
  install: 'pip install iiif-validator-ng pyvips-binary, with Python 3.12',
  run: async ({ service }) => {
    const given = await askPython<{ picture: string }>('iiif.py', [])
    if (!given) return undefined
    const running = await service()
    const image = await publishPicture(running, Uint8Array.from(await readFile(given.picture)))
    const found = await askPython<Found>('iiif.py', [`${running.address}/data/iiif`, image])
    if (!found) return undefined
    return { version: found.version, cases: `${found.cases} tests`, ...judge(found.failures, IMAGE_FAULTS) }
  },
}

/** Runs a script of Python against one address of the service. Undefined where its packages are not installed. */
export const runAt =
  (script: string, path: string, cases: string): Suite['run'] =>
  async ({ service }) => {
    const isThere = await askPython<{ version: string }>(script, [])
    if (!isThere) return undefined
    const { address } = await service()
    const found = await askPython<Found>(script, [`${address}${path}`])
    return (
      found && { version: found.version, cases: `${found.cases} ${cases}`, failures: found.failures, known: new Map() }
    )
  }

export const oaiSchemas: Suite = {
  name: 'XML Schemas of OAI-PMH and oai_dc: every verb, every page, every error',
  install: 'pip install lxml eulxml; the source package of pyoai is fetched for the run',
  run: runAt('oai.py', '/data/oai/', 'answers'),
}

export const reconciliationClient: Suite = {
  name: 'py-reconciliation-service-api: a client of the Reconciliation API, whose models check what it is answered',
  install: 'pip install py-reconciliation-service-api',
  run: runAt('reconcile.py', '/data/reconcile/', 'queries'),
}
