/** Whether a value fits an event pattern of AWS. Each leaf lists values or rules, of which one must hold. Throws for an unknown rule. */
export function fits(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.some((one) => fitsOne(one, value))
  return Object.entries(Object(pattern)).every(([name, inner]) => {
    const found = Object(value)[name]
    return found !== undefined && fits(inner, found)
  })
}

function fitsOne(one: unknown, value: unknown): boolean {
  if (typeof one !== 'object' || one === null) return one === value
  const [[rule = '', given] = []] = Object.entries(one)
  const hold = rules[rule]
  if (!hold)
    throw new Error(`an event pattern has the rule ${rule}, which deploy/rehearse/aws/patterns.ts does not know`)
  return hold(given, value)
}

const rules: Readonly<Record<string, (given: unknown, value: unknown) => boolean>> = {
  prefix: (given, value) => String(value).startsWith(String(given)),
  'anything-but': (given, value) => ![given].flat().includes(value),
  exists: (given, value) => (value !== undefined) === given,
}
