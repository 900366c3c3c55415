import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Listening, listen, readBody } from '../../stand-ins/listening.ts'
import type { RehearsedStack } from '../template.ts'
import type { Release } from './processes.ts'

type Alias = {
  FunctionVersion: string
  RoutingConfig?: { AdditionalVersionWeights?: Readonly<Record<string, number>> }
}
type Published = { versions: { Version: string; Description: string }[]; alias: Alias | undefined; calls: number }

const ADDRESS = /\/functions\/([\w-]+)\/(versions|aliases)(?:\/\w+)?$/

/**
 * Stands in for the versions and aliases of Lambda, and for the alarms of the template on 5xx of the gateway: what `deploy/canary.ts` and
 * `deploy/releases.ts` call. The gateway asks it which version a call reaches.
 */
export class Releases {
  /** The variables of a release, by its name; a release that has none here is as it is packaged. */
  readonly variables = new Map<string, Readonly<Record<string, string>>>()
  /** How many calls each release has had, by its name. */
  readonly calls = new Map<string, number>()
  readonly #functions = new Map<string, Published>()
  readonly #alarms: readonly { name: string; above: number }[]
  #faults = 0

  constructor(stack: RehearsedStack) {
    this.#alarms = Object.keys(stack.resources).flatMap((id) => {
      const { MetricName, AlarmName, Threshold } = stack.properties(id)
      return MetricName === '5xx' ? [{ name: String(AlarmName), above: Number(Threshold) }] : []
    })
  }

  listen(): Promise<Listening> {
    return listen((request, response) => this.#serve(request, response))
  }

  /** Forgets the answers of 5xx, as if some minutes had passed. */
  pass(): void {
    this.#faults = 0
  }

  /** Calls the version of a function that its alias names, or in its share of the calls the one that is tried. Counts answers of 5xx. */
  async call(name: string, invoke: (release: Release | undefined) => Promise<unknown>): Promise<unknown> {
    const release = this.#chosen(name)
    try {
      const answer = await invoke(release)
      if (Number(Object(answer).statusCode) >= 500) this.#faults += 1
      return answer
    } catch (error) {
      this.#faults += 1
      throw error
    }
  }

  #chosen(name: string): Release | undefined {
    const own = this.#functions.get(name)
    if (!own?.alias) return undefined
    own.calls += 1
    const { FunctionVersion, RoutingConfig } = own.alias
    const [[tried = '', share = 0] = []] = Object.entries(RoutingConfig?.AdditionalVersionWeights ?? {})
    const isTried = share > 0 && own.calls % Math.round(1 / share) === 0
    const chosen =
      own.versions.find(({ Version }) => Version === (isTried ? tried : FunctionVersion))?.Description ?? ''
    this.calls.set(chosen, (this.calls.get(chosen) ?? 0) + 1)
    const variables = this.variables.get(chosen)
    return variables && { name: chosen, variables }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readBody(request)).toString()
    const asked = body.startsWith('{') ? JSON.parse(body) : {}
    const reply = (content: object, status = 200) =>
      void response
        .writeHead(status, {
          'content-type': 'application/x-amz-json-1.0',
          ...(status === 404 && { 'x-amzn-errortype': 'ResourceNotFoundException' }),
        })
        .end(JSON.stringify(content))
    if (request.headers['x-amz-target']) return reply({ MetricAlarms: this.#ringing(asked.AlarmNames ?? []) })
    const [, name = '', sort] = ADDRESS.exec(new URL(request.url ?? '', 'http://any').pathname.replace(/\/$/, '')) ?? []
    const own = this.#functions.get(name) ?? { versions: [], alias: undefined, calls: 0 }
    this.#functions.set(name, own)
    if (sort === 'versions' && request.method === 'POST') {
      const version = { Version: String(own.versions.length + 1), Description: String(asked.Description) }
      own.versions.push(version)
      return reply(version)
    }
    if (sort === 'versions') return reply({ Versions: own.versions })
    if (request.method === 'GET') return own.alias ? reply(own.alias) : reply({ Message: 'There is no alias.' }, 404)
    own.alias = { FunctionVersion: asked.FunctionVersion, RoutingConfig: asked.RoutingConfig }
    reply(own.alias)
  }

  #ringing(names: readonly string[]): { AlarmName: string; StateValue: string }[] {
    return this.#alarms
      .filter(({ name, above }) => names.includes(name) && this.#faults > above)
      .map(({ name }) => ({ AlarmName: name, StateValue: 'ALARM' }))
  }
}
