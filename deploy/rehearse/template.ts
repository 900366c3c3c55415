import { functionArn } from '../access/requests.ts'
import { type Resources, resolveReference } from '../access/template.ts'

type Template = { Resources: Resources; Conditions?: Readonly<Record<string, unknown>> }

/** A function as the template describes it. */
export type FunctionFacts = {
  /** Without service and stage. Example: `asset-files`. */
  name: string
  fullName: string
  role: string
  memory: number
  /** In seconds. */
  timeout: number
  handler: string
  variables: Readonly<Record<string, string>>
}
export type GatewayRoute = { key: string; target: string; role: string }
/** A REST API below a path of the domain, and the OpenAPI document that describes it. */
export type RestFacts = { base: string; api: string; stage: string; document: Facts }
/** What a stream or a queue hands to a function. `dead` is the dead-letter queue. */
export type Mapping = {
  source: string
  target: string
  batch: number
  patterns: readonly object[]
  /** How often an event is tried; 0 means until it is too old. */
  attempts: number
  dead?: string
}
export type Schedule = { target: string; expression: string; input: unknown }
/** How often an asynchronous call is tried, and where it goes when it is given up. */
export type Failing = { target: string; attempts: number; destination?: string }

type Facts = Readonly<Record<string, unknown>>

/** A packaged template with every reference resolved. */
export class RehearsedStack {
  readonly resources: Resources
  readonly #conditions: Readonly<Record<string, boolean>>

  constructor({ Resources, Conditions = {} }: Template) {
    this.resources = Resources
    this.#conditions = Object.fromEntries(Object.entries(Conditions).map(([name, it]) => [name, isTrue(it)]))
  }

  /** The properties of a resource, resolved. */
  properties(id: string): Facts {
    return Object(resolveReference(this.resources[id]?.Properties ?? {}, this.resources, this.#conditions))
  }

  readonly #known = new Map<string, { id: string; it: Facts }[]>()

  #all(type: string): { id: string; it: Facts }[] {
    const known = this.#known.get(type) ?? this.#find(type)
    this.#known.set(type, known)
    return known
  }

  #find(type: string): { id: string; it: Facts }[] {
    return Object.entries(this.resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id]) => ({ id, it: this.properties(id) }))
  }

  functions(): FunctionFacts[] {
    return this.#all('AWS::Lambda::Function').map(({ id, it }) => {
      const { Variables = {} }: { Variables?: Record<string, string> } = Object(it.Environment)
      const role: { 'Fn::GetAtt'?: string[] } = Object(Object(this.resources[id]?.Properties).Role)
      const fullName = String(it.FunctionName)
      return {
        name: fullName.split('-').slice(2).join('-'),
        fullName,
        role: role['Fn::GetAtt']?.[0] ?? '',
        memory: Number(it.MemorySize),
        timeout: Number(it.Timeout),
        handler: String(it.Handler),
        variables: Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, String(value)])),
      }
    })
  }

  /** The gateway's routes, with the ARNs of the function and of the role that invokes it. */
  routes(): GatewayRoute[] {
    return this.#all('AWS::ApiGatewayV2::Route').map(({ it }) => {
      const { IntegrationUri, CredentialsArn } = this.properties(String(it.Target).split('/').at(-1) ?? '')
      return { key: String(it.RouteKey), target: String(IntegrationUri), role: String(CredentialsArn ?? '') }
    })
  }

  restApis(): RestFacts[] {
    return this.#all('AWS::ApiGatewayV2::ApiMapping').flatMap(({ it }) => {
      const api = String(it.ApiId)
      if (this.resources[api]?.Type !== 'AWS::ApiGateway::RestApi') return []
      return [
        { base: `/${it.ApiMappingKey}`, api, stage: String(it.Stage), document: Object(this.properties(api).Body) },
      ]
    })
  }

  mappings(): Mapping[] {
    return this.#all('AWS::Lambda::EventSourceMapping').map(({ it }) => ({
      source: String(it.EventSourceArn),
      target: String(it.FunctionName),
      batch: Number(it.BatchSize),
      patterns: patternsIn(it.FilterCriteria),
      attempts: 1 + Number(it.MaximumRetryAttempts ?? 0),
      ...destinationIn(it),
    }))
  }

  schedules(): Schedule[] {
    return this.#all('AWS::Events::Rule').flatMap(({ it }) =>
      listOf(it.Targets).map((target) => ({
        target: String(Object(target).Arn),
        expression: String(it.ScheduleExpression),
        input: Object(target).Input === undefined ? { source: 'aws.events' } : JSON.parse(String(Object(target).Input)),
      })),
    )
  }

  failing(): Failing[] {
    return this.#all('AWS::Lambda::EventInvokeConfig').map(({ it }) => ({
      target: functionArn(String(it.FunctionName)),
      attempts: 1 + Number(it.MaximumRetryAttempts ?? 2),
      ...(destinationIn(it).dead && { destination: destinationIn(it).dead }),
    }))
  }
}

const listOf = (it: unknown): readonly unknown[] => (Array.isArray(it) ? it : [it])

const patternsIn = (criteria: unknown): object[] =>
  listOf(Object(criteria).Filters ?? []).map((it) => JSON.parse(String(Object(it).Pattern)))

function destinationIn(it: Facts): { dead?: string } {
  const found = Object(Object(it.DestinationConfig).OnFailure).Destination
  return found ? { dead: String(found) } : {}
}

/** Evaluates a condition of the template. */
function isTrue(condition: unknown): boolean {
  const { 'Fn::Not': negated, 'Fn::Equals': compared } = Object(condition)
  if (negated) return !isTrue(listOf(negated)[0])
  const [one, other] = listOf(compared)
  return one === other
}
