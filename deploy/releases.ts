import {
  CreateAliasCommand,
  DeleteFunctionCommand,
  GetAliasCommand,
  LambdaClient,
  PublishVersionCommand,
  paginateListVersionsByFunction,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda'
import { mapAtOnce } from '../lib/base/concurrency.ts'
import { groupNames } from '../lib/platform/http/groups.ts'

/** The alias by which the gateway and the dispatcher call functions. Requests reach the version that it names. */
const ALIAS = 'live'

/** The functions that answer requests. Each has the alias; workers have none, and change with the stack. */
export const releasedFunctions = (service: string): string[] =>
  [...groupNames, 'dispatcher'].map((name) => `${service}-${name}`)

/** Versions of each function that are kept, beside those that the alias names. */
const KEPT = 10
/** Calls of Lambda at the same time. Lambda allows 15 changes a second. */
const AT_ONCE = 5

export type Step = { name: string; from: string; to: string }

export const lambdaIn = (region: string): LambdaClient => new LambdaClient({ region })

/** Publishes a version of each function, named after the release, and gives the alias to functions that have none. Safe to repeat. */
export async function publishRelease(client: LambdaClient, names: readonly string[], release: string): Promise<Step[]> {
  return mapAtOnce(names, AT_ONCE, async (name) => {
    // Where code and settings are unchanged, Lambda returns the last version.
    const { Version: to = '' } = await client.send(
      new PublishVersionCommand({ FunctionName: name, Description: release }),
    )
    const from = await liveVersion(client, name)
    if (from) return { name, from, to }
    await client.send(new CreateAliasCommand({ FunctionName: name, Name: ALIAS, FunctionVersion: to }))
    return { name, from: to, to }
  })
}

/** Gives the alias to functions of a deployed stack that have none, so that a change of the gateway finds it. */
export async function prepareAliases(client: LambdaClient, names: readonly string[]): Promise<void> {
  const lacking = await mapAtOnce(names, AT_ONCE, async (name) => ((await liveVersion(client, name)) ? [] : [name]))
  await publishRelease(client, lacking.flat(), '0000 before releases')
}

/** Lets a share of the requests reach the new versions: 0.1 is one in ten, 0 none. */
export async function shareTraffic(client: LambdaClient, steps: readonly Step[], share: number): Promise<void> {
  await mapAtOnce(steps, AT_ONCE, ({ name, from, to }) => {
    const AdditionalVersionWeights = share > 0 && from !== to ? { [to]: share } : {}
    return updateAlias(client, name, from, { AdditionalVersionWeights })
  })
}

/** Lets all requests reach the versions that the steps lead to. */
export async function moveTraffic(client: LambdaClient, steps: readonly Step[]): Promise<void> {
  await mapAtOnce(steps, AT_ONCE, ({ name, to }) => updateAlias(client, name, to, { AdditionalVersionWeights: {} }))
}

/** Deletes all versions but the latest `KEPT`, and those that the steps name. */
export async function deleteOldVersions(client: LambdaClient, steps: readonly Step[]): Promise<void> {
  await mapAtOnce(steps, AT_ONCE, async ({ name, from, to }) => {
    const versions = (await versionsOf(client, name)).map((it) => it.version)
    for (const Qualifier of versions.slice(0, -KEPT).filter((it) => it !== from && it !== to))
      await client.send(new DeleteFunctionCommand({ FunctionName: name, Qualifier }))
  })
}

/** The releases to which a rollback can go, latest first. `live`: the latest release whose version some alias names. */
export async function listReleases(
  client: LambdaClient,
  names: readonly string[],
): Promise<{ release: string; live: boolean }[]> {
  const found = await mapAtOnce(names, AT_ONCE, async (name) => {
    const [versions, live] = await Promise.all([versionsOf(client, name), liveVersion(client, name)])
    return versions.map((it) => ({ release: it.release, live: it.version === live }))
  })
  const all = found.flat()
  const latest = all
    .filter((it) => it.live)
    .map((it) => it.release)
    .sort()
    .at(-1)
  return [...new Set(all.map((it) => it.release))]
    .sort()
    .reverse()
    .map((release) => ({ release, live: release === latest }))
}

/**
 * The steps that move all aliases back to a release. A function that the release did not change gets its latest version from before it.
 * Throws if there is no such release.
 */
export async function stepsBackTo(client: LambdaClient, names: readonly string[], release: string): Promise<Step[]> {
  const known = await listReleases(client, names)
  if (!known.some((it) => it.release === release)) throw new Error(`There is no release ${release}.`)
  const steps = await mapAtOnce(names, AT_ONCE, async (name) => {
    const [versions, from = ''] = await Promise.all([versionsOf(client, name), liveVersion(client, name)])
    const to = versions.filter((it) => it.release <= release).at(-1)?.version
    return to === undefined || to === from ? [] : [{ name, from, to }]
  })
  return steps.flat()
}

type Weights = { AdditionalVersionWeights: Record<string, number> }
const updateAlias = (client: LambdaClient, FunctionName: string, FunctionVersion: string, RoutingConfig: Weights) =>
  client.send(new UpdateAliasCommand({ FunctionName, Name: ALIAS, FunctionVersion, RoutingConfig }))

/** The version that most requests reach. Undefined without the alias. */
async function liveVersion(client: LambdaClient, FunctionName: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetAliasCommand({ FunctionName, Name: ALIAS }))).FunctionVersion
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined
    throw error
  }
}

/** The published versions of a function, oldest first, each with the release that made it. */
async function versionsOf(client: LambdaClient, FunctionName: string): Promise<{ version: string; release: string }[]> {
  const found: { version: string; release: string }[] = []
  for await (const { Versions = [] } of paginateListVersionsByFunction({ client }, { FunctionName }))
    for (const { Version = '', Description = '' } of Versions)
      if (Version !== '$LATEST') found.push({ version: Version, release: Description })
  return found.sort((a, b) => Number(a.version) - Number(b.version))
}
