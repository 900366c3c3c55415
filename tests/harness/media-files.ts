import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import type { ContentType } from '../../lib/engines/media/formats/types.ts'

/** Makes small files of each accepted type: pictures by sharp, the others byte by byte. */

export const latin = (text: string) => Buffer.from(text, 'latin1')
export const be32 = (value: number) => {
  const made = Buffer.alloc(4)
  made.writeUInt32BE(value)
  return made
}
const le32 = (value: number) => {
  const made = Buffer.alloc(4)
  made.writeUInt32LE(value)
  return made
}

/** An SVG drawing of a temple, the content of pictures. */
export const drawing = (width = 64, height = 48, text = '') =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#cde"/>
    <path d="M${width * 0.1} ${height * 0.5} L${width / 2} ${height * 0.1} L${width * 0.9} ${height * 0.5} Z" fill="#a33"/>
    <rect x="${width * 0.25}" y="${height * 0.5}" width="${width / 2}" height="${height * 0.4}" fill="#852"/>
    <text x="${width * 0.05}" y="${height * 0.95}" font-family="DejaVu Sans" font-size="${height / 12}">${text}</text></svg>`,
  )

const gps = {
  IFD0: { Copyright: 'A. Maharjan', ImageDescription: 'North facade', Model: 'Camera 1' },
  IFD2: { ExposureTime: '1/100', DateTimeOriginal: '2024:11:02 10:00:00', BodySerialNumber: 'SN-0815' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '27/1 40/1 1999/100', GPSLongitudeRef: 'E', GPSLongitude: '85/1 25/1 0/1' },
}
const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><exif:GPSLatitude>27,40.33N</exif:GPSLatitude></x:xmpmeta>'

/** Pictures as cameras make them: turned, with a position, a serial number and notes. */
export async function photographs(): Promise<Record<'image/jpeg' | 'image/png' | 'image/webp', Buffer>> {
  const camera = () => sharp(drawing()).withExif(gps).withMetadata({ orientation: 6 }).withExifMerge(gps).withXmp(xmp)
  const [jpeg, png, webp] = await Promise.all([
    camera().jpeg().toBuffer(),
    camera().png().toBuffer(),
    camera().webp().toBuffer(),
  ])
  return { 'image/jpeg': jpeg, 'image/png': png, 'image/webp': webp }
}

/** One file of each type. */
export async function oneOfEach(): Promise<Record<ContentType, Buffer>> {
  const [jpeg, png, webp] = await Promise.all([
    sharp(drawing()).jpeg().toBuffer(),
    sharp(drawing()).png().toBuffer(),
    sharp(drawing()).webp().toBuffer(),
  ])
  return {
    'image/jpeg': jpeg,
    'image/png': png,
    'image/webp': webp,
    'application/pdf': pdf(),
    'audio/mpeg': mp3(),
    'video/mp4': mp4(),
  }
}

/** A chunk of a PNG with its checksum. */
export function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([latin(type), body])
  return Buffer.concat([be32(body.length), named, be32(crc32(named))])
}

/** A PNG with these chunks before its picture. */
export const withChunks = (png: Buffer, ...chunks: Buffer[]) =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)])

/** A JPEG with this segment after its first marker. */
export const withSegment = (jpeg: Buffer, marker: number, body: Buffer) => {
  const head = Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 0xff])
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)])
}

/** A WebP with this chunk at its end, and the new size in its header. */
export function withRiff(webp: Buffer, type: string, body: Buffer): Buffer {
  const made = Buffer.concat([webp, latin(type), le32(body.length), body, Buffer.alloc(body.length % 2)])
  made.writeUInt32LE(made.length - 8, 4)
  return made
}

type Objects = { between?: Buffer; comment?: Buffer; title?: Buffer; more?: Buffer; text?: Buffer; scan?: Scan }
type Scan = { width: number; height: number; jpeg: Buffer }
/** A PDF whose one page is this image. */
export const scanned = (jpeg: Buffer, size: Omit<Scan, 'jpeg'>) => pdf({ scan: { jpeg, ...size } })

/** A PDF of one page, empty or with a text or scan, and with a classic cross-reference table. */
export function pdf({ between = Buffer.alloc(0), comment, title, more, text = latin('BT ET'), scan }: Objects = {}) {
  const drawn = scan ? latin(`q ${scan.width} 0 0 ${scan.height} 0 0 cm /I1 Do Q`) : text
  const image = scan
    ? latin(`/Type /XObject /Subtype /Image /Width ${scan.width} /Height ${scan.height} /ColorSpace /DeviceRGB`)
    : latin('')
  const box = scan ? `${scan.width} ${scan.height}` : '200 200'

  const bodies = [
    latin('<< /Type /Catalog /Pages 2 0 R >>'),
    latin('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    latin(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${box}] /Contents 4 0 R /Resources << /Font << /F1 7 0 R >>${scan ? ' /XObject << /I1 8 0 R >>' : ''} >> >>`,
    ),
    Buffer.concat([latin('<< /Length 5 0 R >>\nstream\n'), drawn, latin('\nendstream')]),
    latin(`${drawn.length}`),
    Buffer.concat([latin('<< /Title ('), title ?? latin('A \\(small\\) survey'), latin(') >>')]),
  ]
  bodies.push(latin('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'))
  if (scan)
    bodies.push(
      Buffer.concat([
        latin('<< '),
        image,
        latin(` /BitsPerComponent 8 /Filter /DCTDecode /Length ${scan.jpeg.length} >>\nstream\n`),
        scan.jpeg,
        latin('\nendstream'),
      ]),
    )
  if (more) bodies.push(Buffer.concat([latin(`<< /Length ${more.length} >>\nstream\n`), more, latin('\nendstream')]))
  const parts = [
    latin('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'),
    ...(comment ? [latin('%'), comment, latin('\n')] : []),
    between,
  ]
  const places: number[] = []
  const length = () => parts.reduce((sum, part) => sum + part.length, 0)
  for (const [i, body] of bodies.entries()) {
    places.push(length())
    parts.push(latin(`${i + 1} 0 obj\n`), body, latin('\nendobj\n'))
  }
  const start = length()
  const rows = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(latin(`xref\n0 ${places.length + 1}\n0000000000 65535 f \n${rows}`))
  parts.push(latin(`trailer\n<< /Size ${places.length + 1} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${start}\n%%EOF\n`))
  return Buffer.concat(parts)
}

/** Frames of silence: MPEG 1 layer III, 64 kbit/s, 44.1 kHz, mono. */
export const silence = (frames = 12) =>
  Buffer.concat(
    Array.from({ length: frames }, () => Buffer.concat([Buffer.from([0xff, 0xfb, 0x50, 0xc4]), Buffer.alloc(204)])),
  )

/** A tag before the sound (ID3 2.3) with these frames and some padding. */
function tag(frames: Readonly<Record<string, Buffer>>): Buffer {
  const body = Buffer.concat([
    ...Object.entries(frames).flatMap(([name, each]) => [latin(name), be32(each.length), Buffer.alloc(2), each]),
    Buffer.alloc(32),
  ])
  const size = [21, 14, 7, 0].map((shift) => (body.length >>> shift) & 0x7f)
  return Buffer.concat([latin('ID3'), Buffer.from([3, 0, 0, ...size]), body])
}

export const mp3 = (frames: Readonly<Record<string, Buffer>> = { TIT2: latin('\0Dhime') }) =>
  Buffer.concat([tag(frames), silence()])

/** A box of an MP4. */
export const box = (type: string, ...body: Buffer[]) => {
  const all = Buffer.concat(body)
  return Buffer.concat([be32(all.length + 8), latin(type), all])
}

type Boxes = { free?: Buffer; notes?: Buffer; unplayed?: Buffer }
/** An MP4 with one track of pictures: three samples in one chunk. */
export function mp4({ free = Buffer.alloc(16), notes, unplayed = Buffer.alloc(0) }: Boxes = {}): Buffer {
  const samples = Buffer.alloc(300, 0x5a)
  const head = Buffer.concat([box('ftyp', latin('isom'), be32(512), latin('isomiso2avc1mp41')), box('free', free)])
  const size = Buffer.concat([be32(320 << 16), be32(240 << 16)])
  const table = box(
    'stbl',
    box('stsd', be32(0), be32(0)),
    box('stts', be32(0), be32(1), be32(3), be32(512)),
    box('stsc', be32(0), be32(1), be32(1), be32(3), be32(1)),
    box('stsz', be32(0), be32(0), be32(3), be32(100), be32(100), be32(100)),
    box('stco', be32(0), be32(1), be32(head.length + 8)),
  )
  const media = box('mdia', box('hdlr', be32(0), be32(0), latin('vide'), Buffer.alloc(13)), box('minf', table))
  const track = box('trak', box('tkhd', Buffer.alloc(76), size), media)
  const udta = notes ? [box('udta', box('\xa9xyz', notes))] : []
  return Buffer.concat([
    head,
    box('mdat', samples, unplayed),
    box('moov', box('mvhd', Buffer.alloc(100)), track, ...udta),
  ])
}
