/** One family of Prometheus' text format. */
export type Family = { type: string; help: string; samples: { labels: Record<string, string>; value: number }[] }

/**
 * Reads Prometheus' text exposition format 0.0.4. Fails on each fault that a scraper would refuse: a sample without
 * its family, a family twice or in two pieces, two samples with the same labels, a bad name, escape or number, no last line end.
 */
export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, Family>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/.exec(line)
    if (comment) {
      const [, what, name = '', rest = ''] = comment
      if (what === 'HELP') {
        if (families.has(name)) throw new Error(`${name} comes twice`)
        if (/\\(?![\\n])/.test(rest)) throw new Error(`bad escape: ${line}`)
        families.set(name, { type: '', help: rest, samples: [] })
        current = name
      } else {
        const family = families.get(name)
        if (!family || name !== current || family.type || family.samples.length > 0)
          throw new Error(`out of place: ${line}`)
        if (!/^(counter|gauge|histogram|summary|untyped)$/.test(rest)) throw new Error(`no such type: ${line}`)
        family.type = rest
      }
      continue
    }
    const { name, labels, value } = sampleIn(line)
    const family = families.get(name)
    if (!family?.type || name !== current) throw new Error(`a sample outside of its family: ${line}`)
    const same = JSON.stringify(Object.entries(labels).sort())
    if (family.samples.some((it) => JSON.stringify(Object.entries(it.labels).sort()) === same))
      throw new Error(`twice: ${line}`)
    if (family.type === 'counter' && !(value >= 0)) throw new Error(`a counter below zero: ${line}`)
    family.samples.push({ labels, value })
  }
  return families
}

function sampleIn(line: string): { name: string; labels: Record<string, string>; value: number } {
  const [, name = '', braces, number = ''] = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (\S+)$/.exec(line) ?? []
  if (!name) throw new Error(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  let rest = braces?.slice(1, -1) ?? ''
  while (rest !== '') {
    const [whole = '', label = '', value = ''] =
      /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/.exec(rest) ?? []
    if (!whole || label in labels || label.startsWith('__')) throw new Error(`bad labels: ${line}`)
    labels[label] = value.replace(/\\(.)/g, (_, it: string) => (it === 'n' ? '\n' : it))
    rest = rest.slice(whole.length)
  }
  if (!/^([+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|NaN|[+-]Inf)$/i.test(number)) throw new Error(`no number: ${line}`)
  return { name, labels, value: Number(number.replace('Inf', 'Infinity')) }
}
