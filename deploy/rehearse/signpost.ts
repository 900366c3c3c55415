import sharp from 'sharp'

/** The letters as SVG paths, in a field of 4 by 6. */
const letters: Readonly<Record<string, string>> = {
  A: 'M0 6 L2 0 L4 6 M0.7 4 H3.3',
  H: 'M0 0 V6 M4 0 V6 M0 3 H4',
  I: 'M2 0 V6',
  L: 'M0 0 V6 H4',
  M: 'M0 6 V0 L2 4 L4 0 V6',
  N: 'M0 6 V0 L4 6 V0',
  T: 'M0 0 H4 M2 0 V6',
  X: 'M0 0 L4 6 M4 0 L0 6',
}
const [SIZE, STEP, LINE] = [10, 60, 110]

const drawWord = (word: string, row: number) =>
  [...word].map(
    (letter, i) => `<g transform="translate(${60 + i * STEP} ${60 + row * LINE}) scale(${SIZE})">
    <path d="${letters[letter]}" fill="none" stroke="black" stroke-width="0.9"/></g>`,
  )

/** A word on the signpost that OCR must read. */
export const ON_SIGNPOST = 'THIMI'

/** A picture with names of places, for OCR. Its letters are drawn as lines, since a machine may have no fonts. */
export async function signpost(): Promise<File> {
  const words = ['NAXAL', ON_SIGNPOST].flatMap(drawWord)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="420" height="300"><rect width="420" height="300" fill="white"/>${words.join('')}</svg>`
  return new File([new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer())], 'signpost.png', {
    type: 'image/png',
  })
}
