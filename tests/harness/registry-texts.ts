import type { Registry } from '../../lib/domain/kinds/schema/registry.ts'
import { translateRegistry } from '../../lib/domain/kinds/schema/registry-texts.ts'

/** Lists the texts of the registry that people read, each once. */
export function registryTexts(registry: Registry): string[] {
  const texts = new Set<string>()
  translateRegistry(registry, (text) => {
    texts.add(text)
    return text
  })
  return [...texts].filter((text) => text !== '')
}
