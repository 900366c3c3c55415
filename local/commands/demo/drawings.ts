import sharp from 'sharp'

/** Drawings that the demonstration uploads in place of photographs. */
export type Drawing = { name: string; type: string; caption: string; role: string; bytes: Uint8Array<ArrayBuffer> }

const sky =
  '<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#7fb4d9"/><stop offset="1" stop-color="#f4e3c8"/></linearGradient>'

/** A temple on steps, with this number of roofs. */
function temple(roofs: number): string {
  const tiers = Array.from({ length: roofs }, (_, i) => {
    const [half, y] = [250 - i * 60, 470 - i * 110]
    return `<polygon points="${400 - half - 60},${y} ${400 + half + 60},${y} ${400 + half * 0.55},${y - 70} ${400 - half * 0.55},${y - 70}" fill="#7a3b22" stroke="#4c2414" stroke-width="4"/>
      <rect x="${400 - half * 0.5}" y="${y - 108}" width="${half}" height="40" fill="#a35a38"/>`
  }).join('')
  const steps = [0, 1, 2]
    .map(
      (i) =>
        `<rect x="${130 + i * 35}" y="${580 - i * 30}" width="${540 - i * 70}" height="30" fill="#9b8f80" stroke="#6f655a"/>`,
    )
    .join('')
  return drawingOf(`${steps}<rect x="240" y="470" width="320" height="50" fill="#a35a38"/><rect x="370" y="475" width="60" height="45" fill="#3d2013"/>${tiers}
    <path d="M400 ${470 - roofs * 110 + 30} l-14 26 h28 z" fill="#d9a928"/>`)
}

/** An inscribed stone. */
const stone = (lines: readonly string[]) =>
  drawingOf(`<path d="M220 560 V170 Q400 60 580 170 V560 Z" fill="#8d8a84" stroke="#5c5a55" stroke-width="6"/>
    ${lines.map((line, i) => `<text x="400" y="${230 + i * 54}" font-size="40" text-anchor="middle" font-family="serif" fill="#2b2a28">${line}</text>`).join('')}`)

const drawingOf = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="620"><defs>${sky}</defs><rect width="800" height="620" fill="url(#sky)"/>${inside}</svg>`

/** One drawing of each type that a browser shows. */
export async function drawings(): Promise<Drawing[]> {
  const [front, side, inscription] = await Promise.all([
    sharp(Buffer.from(temple(3)))
      .jpeg({ quality: 82 })
      .toBuffer(),
    sharp(Buffer.from(temple(5)))
      .webp({ quality: 80 })
      .toBuffer(),
    sharp(Buffer.from(stone(['SAMVAT 1823', 'RAMA MALLA', 'BUILT THIS', 'REST HOUSE'])))
      .png()
      .toBuffer(),
  ])
  return [
    {
      name: 'north-facade.jpg',
      type: 'image/jpeg',
      caption: 'The north facade',
      role: 'primary',
      bytes: new Uint8Array(front),
    },
    {
      name: 'five-roofs.webp',
      type: 'image/webp',
      caption: 'Seen from the square',
      role: 'evidence',
      bytes: new Uint8Array(side),
    },
    {
      name: 'inscription.png',
      type: 'image/png',
      caption: 'The stone at the gate',
      role: 'evidence',
      bytes: new Uint8Array(inscription),
    },
  ]
}
