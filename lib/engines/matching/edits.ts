/**
 * Counts the edits that turn one text into the other: a letter added, left out or replaced, or two neighbours swapped (optimal string
 * alignment distance). Beyond `most` edits it may stop early, with some number larger than `most`.
 */
export function countEdits(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  // A common beginning or end needs no edits. Most compared texts differ in a few letters only.
  let [from, ends] = [0, 0]
  const shorter = Math.min(a.length, b.length)
  while (from < shorter && a.charCodeAt(from) === b.charCodeAt(from)) from += 1
  while (ends < shorter - from && a.charCodeAt(a.length - 1 - ends) === b.charCodeAt(b.length - 1 - ends)) ends += 1
  const [height, columns] = [a.length - from - ends, b.length - from - ends]
  if (height === 0 || columns === 0) return height + columns
  if (most < Math.max(height, columns)) {
    const [lettersOfA, lettersOfB] = [lettersIn(a, from, height), lettersIn(b, from, columns)]
    if (countBits(lettersOfA & ~lettersOfB) > most || countBits(lettersOfB & ~lettersOfA) > most) return most + 1
  }
  if (columns >= rows[0].length) rows = rowsOf(2 * columns)
  let [before, last, row] = rows
  let fewestBefore = 0
  for (let j = 0; j <= columns; j += 1) last[j] = j
  for (let i = 1; i <= height; i += 1) {
    row[0] = i
    let fewest = i
    const letter = a.charCodeAt(from + i - 1)
    for (let j = 1; j <= columns; j += 1) {
      const other = b.charCodeAt(from + j - 1)
      let least = Math.min(last[j] ?? 0, row[j - 1] ?? 0) + 1
      least = Math.min(least, (last[j - 1] ?? 0) + (letter === other ? 0 : 1))
      if (i > 1 && j > 1 && letter === b.charCodeAt(from + j - 2) && a.charCodeAt(from + i - 2) === other)
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row[j] = least
      if (least < fewest) fewest = least
    }
    // A swap in the next row costs one more than the row before this one, so that row counts, too.
    if (fewest > most && fewestBefore >= most) return most + 1
    fewestBefore = fewest
    ;[before, last, row] = [last, row, before]
  }
  return last[columns] ?? 0
}

/**
 * The letters of a part of a text, one bit each. Letters of other alphabets share bits. Each letter that only one text has costs an edit.
 * So texts with few letters in common need no table of distances.
 */
function lettersIn(text: string, from: number, size: number): number {
  let letters = 0
  for (let at = from; at < from + size; at += 1) letters |= 1 << (text.charCodeAt(at) & 31)
  return letters
}

/** The number of bits that are set. */
function countBits(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count += 1
  return count
}

const rowsOf = (size: number) => [new Uint16Array(size), new Uint16Array(size), new Uint16Array(size)] as const
/** The rows of the table of distances, used by all calls: allocating rows takes longer than filling them. */
let rows = rowsOf(64)

/**
 * Counts the edits that turn `letters` into a beginning of `word`. The beginning may be up to `beyond` letters longer
 * or shorter than `letters`. `most` is as in `countEdits`.
 */
export function countEditsToPrefix(letters: string, word: string, beyond: number, most = letters.length): number {
  let least = letters.length
  for (let size = Math.max(1, letters.length - beyond); size <= letters.length + beyond; size += 1)
    least = Math.min(least, countEdits(letters, word.slice(0, size), most))
  return least
}
