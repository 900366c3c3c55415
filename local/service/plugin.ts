import { existsSync, readFileSync, watch } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { buildLocal, bundleOf, prune } from '../../deploy/packages/build.ts'
import type { Runnable } from './functions.ts'
import { NEW_ROUTES } from './keep-running.ts'
import { ratesIn } from './settings.ts'
import { WELCOME, welcomePage } from './welcome.ts'

/** The parts of the framework that the plugin touches. */
type Framework = {
  serviceDir: string
  service: {
    functions: Record<string, Definition>
    provider: { environment: Variables; timeout: number }
    custom: { 'serverless-offline': { httpPort: string } }
  }
  pluginManager: { plugins: readonly object[]; spawn: (event: string) => Promise<unknown> }
}
type Definition = { handler: string; environment?: Variables; timeout?: number }
type Variables = Record<string, string>

/** A plugin of the Serverless Framework for the local service: it builds the functions, watches their sources and reloads them. */
export default class LocalFunctions {
  readonly hooks: Readonly<Record<string, () => Promise<void>>>

  constructor(framework: Framework) {
    this.hooks = {
      'before:offline:start:init': () => serve(framework),
      'after:offline:start:init': async () => {
        try {
          passQuery(framework)
          ourCors(framework)
          serveWelcome(framework)
          tell(framework)
        } catch (error) {
          // Otherwise the framework reports the error and stays, and the parent waits forever.
          console.error(error instanceof Error ? error.stack : error)
          process.exit(1)
        }
      },
    }
  }
}

async function serve(framework: Framework): Promise<void> {
  // This process ends with its parent, however that ends.
  process.on('disconnect', () => process.exit(0))
  // Nobody waits for an asynchronous invocation, so its failure is only logged.
  process.on('unhandledRejection', (error) => console.error(error instanceof Error ? error.stack : error))
  const { provider, functions } = framework.service
  for (const { environment } of [provider, ...Object.values(functions)])
    if (environment) Object.assign(environment, ratesIn(process.env))
  try {
    await build(framework)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
  let pending: NodeJS.Timeout | undefined
  const changed = () => {
    clearTimeout(pending)
    pending = setTimeout(() => void reload(framework), 50)
  }
  for (const folder of ['functions', 'lib', 'api'])
    watch(join(framework.serviceDir, folder), { recursive: true }, changed)
  watchRoutes(framework.serviceDir)
}

/** The files that define the routes of the gateway. serverless-offline reads them only when it starts. */
const routeSources = ['serverless.yml', 'deploy/routes.ts', 'lib/platform/http/groups.ts']

/** Ends this process when the routes have changed. The parent starts it again, with the new ones. */
function watchRoutes(root: string): void {
  const read = () => routeSources.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const routes = read()
  let pending: NodeJS.Timeout | undefined
  const compare = () => {
    // While an editor saves, the file may be missing for a moment. The next event compares again.
    if (routeSources.every((file) => existsSync(join(root, file))) && read() !== routes) process.exit(NEW_ROUTES)
  }
  for (const file of routeSources)
    watch(dirname(join(root, file)), (_, name) => {
      if (name !== basename(file)) return
      clearTimeout(pending)
      pending = setTimeout(compare, 50)
    })
}

/**
 * Points each function at its newest bundle, and removes old bundles that nobody runs any more. Returns how many are new.
 */
async function build({ serviceDir, service, pluginManager }: Framework): Promise<number> {
  // Two services may run from one folder, on different ports.
  const place = `local-${service.custom['serverless-offline'].httpPort}`
  const handlers = await buildLocal(serviceDir, place)
  let fresh = 0
  for (const [name, handler] of handlers) {
    const definition = service.functions[name]
    if (!definition || definition.handler === handler) continue
    definition.handler = handler
    fresh += 1
  }
  if (fresh > 0) await pluginManager.spawn('offline:functionsUpdated')
  await prune(serviceDir, place, handlers.values())
  return fresh
}

/** Tells the parent which functions there are, and what each runs with. */
function tell({ service: { functions, provider } }: Framework): void {
  const runnables = Object.entries(functions).map(([name, { handler, environment, timeout }]): [string, Runnable] => [
    name,
    {
      file: bundleOf(handler),
      environment: Object.fromEntries(
        Object.entries({ ...provider.environment, ...environment }).map(([key, value]) => [key, String(value)]),
      ),
      timeout: timeout ?? provider.timeout,
    },
  ])
  process.send?.({ functions: Object.fromEntries(runnables) })
}

async function reload(framework: Framework): Promise<void> {
  try {
    const fresh = await build(framework)
    if (fresh === 0) return
    tell(framework)
    console.log(JSON.stringify({ level: 'info', message: `reloaded ${fresh} functions` }))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.log(JSON.stringify({ level: 'error', message: 'not reloaded: the last good version stays', error: reason }))
  }
}

type Answer = { statusCode: number; headers: Record<string, unknown>; output?: { payload: object; statusCode: number } }
type Exchange = {
  url: URL
  raw: { req: { url?: string } }
  app: { ours?: { status: number; headers: Record<string, unknown> } }
  response: Answer
}
type Reply = { continue: symbol }
type Server = {
  route: (route: { method: string; path: string; handler: () => Promise<string> }) => void
  ext: (event: string, method: (request: Exchange, reply: Reply) => symbol) => void
}

/**
 * Hands each function the query as it was sent, as the gateway of AWS does. serverless-offline writes it anew, and so turns bytes
 * that are not UTF-8 into U+FFFD.
 */
function passQuery(framework: Framework): void {
  serverOf(framework)?.ext('onPreHandler', ({ url, raw }, reply) => {
    const [, query = ''] = /\?(.*)$/s.exec(raw.req.url ?? '') ?? []
    url.searchParams.toString = () => query
    return reply.continue
  })
}

/**
 * serverless-offline lets every origin in and answers each preflight with 200. This restores the status and headers of
 * the function. Requests that never reach a function get an error in our form. Examples: a path that cannot be decoded, a
 * body beyond 10 MB.
 */
function ourCors(framework: Framework): void {
  const server = serverOf(framework)
  server?.ext('onPostHandler', (request, reply) => {
    request.app.ours = { status: request.response.statusCode, headers: { ...request.response.headers } }
    return reply.continue
  })
  server?.ext('onPreResponse', ({ app: { ours }, response }, reply) => {
    if (response.output) response.output.payload = { detail: STATUS_CODES[response.output.statusCode] }
    if (!ours || response.output) return reply.continue
    response.statusCode = ours.status
    for (const name of Object.keys(response.headers)) {
      if (name.startsWith('access-control-') && !(name in ours.headers)) delete response.headers[name]
    }
    return reply.continue
  })
}

/** Adds the welcome page. Only the local service has it: it is no route of the API. */
function serveWelcome(framework: Framework): void {
  const origin = `http://localhost:${framework.service.custom['serverless-offline'].httpPort}`
  // The server itself drops the last slash of every path.
  const path = WELCOME.slice(0, -1)
  serverOf(framework)?.route({ method: 'GET', path, handler: () => welcomePage(origin) })
}

const serverOf = ({ pluginManager }: Framework) =>
  pluginManager.plugins.find(hasServer)?.internals().getApiGatewayServer()

type Offline = { internals: () => { getApiGatewayServer: () => Server } }
const hasServer = (plugin: object): plugin is Offline => 'internals' in plugin
