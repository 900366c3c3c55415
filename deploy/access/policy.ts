/** A statement of a role's policy. Resources are ARNs and may have wildcards. */
export type PolicyStatement = {
  Effect: 'Allow' | 'Deny'
  Action: readonly string[]
  Resource: readonly string[]
  Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>
}
/** One action on one resource. `context` holds the facts of the request that conditions compare. */
export type Need = { action: string; resource: string; context?: Readonly<Record<string, string>> }
/** What allows a need: the action and the resource as the policy writes them. */
export type Grant = { action: string; resource: string }

/** The statement that allows a need; undefined if none does, or one denies it. Throws for a condition that is not known here. */
export function grantFor(statements: readonly PolicyStatement[], need: Need): Grant | undefined {
  const about = statements.flatMap((statement) => {
    const action = statement.Action.find((pattern) => matches(pattern.toLowerCase(), need.action.toLowerCase()))
    const resource = statement.Resource.find((pattern) => matches(pattern, need.resource))
    return action && resource && holds(statement, need) ? [{ effect: statement.Effect, action, resource }] : []
  })
  if (about.some(({ effect }) => effect === 'Deny')) return undefined
  const [first] = about
  return first && { action: first.action, resource: first.resource }
}

/** The statement that denies a need, whatever others allow. Undefined if none does. */
export function denialFor(statements: readonly PolicyStatement[], need: Need): Grant | undefined {
  const denials = statements.filter(({ Effect }) => Effect === 'Deny')
  return grantFor(
    denials.map((it) => ({ ...it, Effect: 'Allow' })),
    need,
  )
}

const holds = ({ Condition = {} }: PolicyStatement, { context = {} }: Need): boolean =>
  Object.entries(Condition).every(([operator, members]) => {
    const compare = operators[operator]
    if (!compare) throw new Error(`a policy has the condition ${operator}, which deploy/access/policy.ts does not know`)
    return Object.entries(members).every(([name, wanted]) => {
      const value = context[name]
      return value !== undefined && [wanted].flat().some((one) => compare(one, value))
    })
  })

const operators: Readonly<Record<string, (wanted: string, value: string) => boolean>> = {
  StringEquals: (wanted, value) => wanted === value,
  StringLike: (wanted, value) => matches(wanted, value),
  ArnEquals: (wanted, value) => matches(wanted, value),
  ArnLike: (wanted, value) => matches(wanted, value),
  Bool: (wanted, value) => wanted.toLowerCase() === value.toLowerCase(),
}

/** `*` stands for any text, `?` for one character. */
function matches(pattern: string, text: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === text
  let compiled = patterns.get(pattern)
  if (!compiled) {
    const escaped = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')
    compiled = new RegExp(`^${escaped}$`, 's')
    patterns.set(pattern, compiled)
  }
  return compiled.test(text)
}

const patterns = new Map<string, RegExp>()
