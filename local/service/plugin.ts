import { existsSync, watch } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { join } from 'node:path'
import { buildLocal, buildPackages, keptPackages, prune } from '../deploy/build.ts'
import type { Runnable } from './functions.ts'

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
type Definition = { handler: string; package?: object; environment?: Variables; timeout?: number }
type Variables = Record<string, string>

/** A framework plugin: bundles the functions for packages; for the local service builds, watches and reloads them. */
export default class Bundles {
  readonly hooks: Readonly<Record<string, () => Promise<void>>>

  constructor(framework: Framework) {
    this.hooks = {
      'before:package:createDeploymentArtifacts': () => pack(framework),
      'before:offline:start:init': () => serve(framework),
      'after:offline:start:init': async () => {
        ourCors(framework)
        tell(framework)
      },
    }
  }
}

async function pack({ serviceDir, service }: Framework): Promise<void> {
  const names = Object.keys(service.functions)
  // No stage is in a bundle, so one build serves the packages of all stages.
  const built = await (process.env.BUNDLES === 'kept' ? keptPackages : buildPackages)(serviceDir, names)
  for (const [name, artifact] of built) {
    const definition = service.functions[name]
    if (definition) definition.package = { individually: true, artifact }
  }
}

async function serve(framework: Framework): Promise<void> {
  // A parent that ends, however it ends, ends us too.
  process.on('disconnect', () => process.exit(0))
  // What is invoked for later has nobody who hears that it failed.
  process.on('unhandledRejection', (error) => console.error(error instanceof Error ? error.stack : error))
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
  for (const folder of ['functions', 'lib']) watch(join(framework.serviceDir, folder), { recursive: true }, changed)
}

/** Points each function at its newest bundle, answers how many are new, and clears away the old once nobody calls them. */
async function build({ serviceDir, service, pluginManager }: Framework): Promise<number> {
  const names = Object.keys(service.functions).filter((name) => existsSync(join(serviceDir, `functions/${name}.ts`)))
  // Two services may run from one folder, on different ports.
  const place = `local-${service.custom['serverless-offline'].httpPort}`
  const handlers = await buildLocal(serviceDir, names, place)
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

/** Tells the parent what functions there are, and what each runs with. */
function tell({ service: { functions, provider } }: Framework): void {
  const runnables = Object.entries(functions).map(([name, { handler, environment, timeout }]): [string, Runnable] => [
    name,
    {
      file: handler.replace(/\.handler$/, '.mjs'),
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
type Exchange = { app: { ours?: { status: number; headers: Record<string, unknown> } }; response: Answer }
type Reply = { continue: symbol }
type Server = { ext: (event: string, method: (request: Exchange, reply: Reply) => symbol) => void }

/**
 * serverless-offline lets every origin in and turns each preflight into 200. This puts back what the function said.
 * Requests that never reach a function (a path that cannot be decoded, a body beyond 10 MB) get an error in our form.
 */
function ourCors({ pluginManager }: Framework): void {
  const offline = pluginManager.plugins.find(hasServer)
  const server = offline?.internals().getApiGatewayServer()
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

type Offline = { internals: () => { getApiGatewayServer: () => Server } }
const hasServer = (plugin: object): plugin is Offline => 'internals' in plugin
