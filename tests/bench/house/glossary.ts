/** The words that the entries of a glossary define, each once, and how many of these have one meaning. */
export function wordsOfGlossary(page: string): { words: number; withOneMeaning: number } {
  const defined = [...page.matchAll(/^- (\*\*[^:]*):/gm)].flatMap(([, head = '']) =>
    [...head.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word = '']) => word.toLowerCase()),
  )
  const meanings = [...Map.groupBy(defined, (word) => word).values()]
  return { words: meanings.length, withOneMeaning: meanings.filter((entries) => entries.length === 1).length }
}
