import { existsSync, readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkContent } from '../../../lib/engines/media/formats/check.ts'
import { memorySource, type Piece, windowedSource } from '../../../lib/engines/media/formats/source.ts'
import { type ContentType, contentTypes } from '../../../lib/engines/media/formats/types.ts'
import * as make from '../../harness/media-files.ts'

let files: Record<ContentType, Buffer>
let photographs: Awaited<ReturnType<typeof make.photographs>>
beforeAll(async () => {
  files = await make.oneOfEach()
  photographs = await make.photographs()
})

const check = (bytes: Buffer) => checkContent(memorySource(bytes))
/** What readers get. */
const served = (bytes: Buffer, pieces: readonly Piece[]) =>
  Buffer.concat(pieces.map((piece) => ('bytes' in piece ? piece.bytes : bytes.subarray(piece.from, piece.to))))
/** Why a file is refused; undefined when it is taken. */
const reason = async (bytes: Buffer): Promise<string | undefined> => {
  try {
    await check(bytes)
    return undefined
  } catch (error) {
    if (error instanceof Error && error.name === 'UnfitFile') return error.message
    throw error
  }
}

describe('a whole file of one type', () => {
  test.each(contentTypes)('%s is taken for what it is', async (type) => {
    const found = await check(files[type])
    const size = type.startsWith('image/')
      ? { width: 64, height: 48, orientation: 1 }
      : type === 'video/mp4'
        ? { width: 320, height: 240 }
        : {}
    expect(found).toEqual({ content_type: type, pieces: expect.any(Array), ...size })
  })

  test.each(contentTypes)('%s is read the same through windows as from memory', async (type) => {
    const bytes = files[type]
    const fill = (into: Buffer, at: number) => void bytes.copy(into, 0, at)
    expect(await checkContent(windowedSource(bytes.length, fill))).toEqual(await check(bytes))
  })

  test.each(contentTypes)(
    'what is served of %s is a whole file too, of which nothing more is taken away',
    async (type) => {
      const once = served(files[type], (await check(files[type])).pieces)
      const twice = served(once, (await check(once)).pieces)
      expect(twice.equals(once)).toBe(true)
    },
  )

  test.each(['libtasn1-doc/libtasn1.pdf', 'shared-mime-info/shared-mime-info-spec.pdf'])(
    'PDFs of other makers are taken: %s',
    async (name) => {
      const path = `/usr/share/doc/${name}`
      // Documents of the operating system, where it has them.
      if (existsSync(path)) expect(await reason(readFileSync(path))).toBeUndefined()
    },
  )

  test('pictures of every make are taken: progressive, interlaced, with a palette, grey, transparent, lossless, moving', async () => {
    const picture = () => sharp(make.drawing())
    const pictures = await Promise.all([
      picture().jpeg({ progressive: true }).toBuffer(),
      picture().jpeg({ mozjpeg: true }).toBuffer(),
      picture().greyscale().jpeg().toBuffer(),
      picture().toColourspace('cmyk').jpeg().toBuffer(),
      picture().keepIccProfile().withIccProfile('p3').jpeg().toBuffer(),
      picture().png({ progressive: true }).toBuffer(),
      picture().png({ palette: true }).toBuffer(),
      picture().toColourspace('b-w').png({ palette: true, colours: 2 }).toBuffer(),
      picture().toColourspace('rgb16').png().toBuffer(),
      picture().withIccProfile('p3').png().toBuffer(),
      picture().webp({ lossless: true }).toBuffer(),
      picture().ensureAlpha(0.5).webp().toBuffer(),
      picture().withIccProfile('p3').webp().toBuffer(),
      sharp([make.drawing(32, 32, 'a'), make.drawing(32, 32, 'b')], { join: { animated: true } })
        .webp({ loop: 0 })
        .toBuffer(),
    ])
    for (const [i, bytes] of pictures.entries()) {
      expect([i, await reason(bytes)]).toEqual([i, undefined])
      const again = served(bytes, (await check(bytes)).pieces)
      const [before, after] = await Promise.all([sharp(bytes).raw().toBuffer(), sharp(again).raw().toBuffer()])
      expect([i, after.equals(before)]).toEqual([i, true])
    }
  })
})

describe('what readers get of a photograph', () => {
  test.each(['image/jpeg', 'image/png', 'image/webp'] as const)(
    '%s keeps its picture and how it is turned',
    async (type) => {
      const bytes = photographs[type]
      const found = await check(bytes)
      expect([found.width, found.height, found.orientation]).toEqual([64, 48, 6])
      const again = served(bytes, found.pieces)
      expect((await sharp(again).metadata()).orientation).toBe(6)
      const [before, after] = await Promise.all([sharp(bytes).raw().toBuffer(), sharp(again).raw().toBuffer()])
      expect(after.equals(before)).toBe(true)
    },
  )

  test.each(['image/jpeg', 'image/png', 'image/webp'] as const)(
    '%s keeps who and when, and loses where and by which device',
    async (type) => {
      const bytes = photographs[type]
      const before = (await sharp(bytes).metadata()).exif?.toString('latin1') ?? ''
      expect(before).toContain('SN-0815')
      const again = served(bytes, (await check(bytes)).pieces)
      const { exif, xmp } = await sharp(again).metadata()
      const text = exif?.toString('latin1') ?? ''
      for (const kept of ['A. Maharjan', 'North facade', 'Camera 1', '2024:11:02 10:00:00'])
        expect(text).toContain(kept)
      expect(text).not.toContain('SN-0815')
      expect(xmp).toBeUndefined()
      // The tag that leads to positions, in either order of bytes.
      expect(again.includes(Buffer.from([0x88, 0x25, 0, 4])) || again.includes(Buffer.from([0x25, 0x88, 4, 0]))).toBe(
        false,
      )
      expect(again.includes('GPSLatitude')).toBe(false)
    },
  )

  test('an EXIF block that cannot be read is left out', async () => {
    const broken = [
      make.latin('Exif\0\0II*\0\xff\xff\xff\x7f'),
      make.latin('Exif\0\0XX'),
      make.latin('Exif\0\0MM\0*\0\0\0\x08\xff\xff'),
    ]
    for (const body of broken) {
      const bytes = make.withSegment(files['image/jpeg'], 0xe1, body)
      const found = await check(bytes)
      expect(found.orientation).toBe(1)
      expect(served(bytes, found.pieces).includes('Exif')).toBe(false)
    }
  })

  test('comments and the notes of programs stay behind', async () => {
    const jpeg = make.withSegment(
      make.withSegment(files['image/jpeg'], 0xfe, make.latin('by hand')),
      0xed,
      make.latin('Photoshop 3.0\0by hand'),
    )
    const png = make.withChunks(
      files['image/png'],
      make.chunk('tEXt', make.latin('Comment\0by hand')),
      make.chunk('abCd', make.latin('by hand')),
    )
    for (const bytes of [jpeg, png]) expect(served(bytes, (await check(bytes)).pieces).includes('by hand')).toBe(false)
  })

  test('a recording keeps the texts of its tag, and not its pictures and private notes', async () => {
    const cover = Buffer.concat([make.latin('\0image/jpeg\0\x03\0'), files['image/jpeg']])
    const bytes = Buffer.concat([
      make.mp3({ TIT2: make.latin('\0Dhime'), APIC: cover, PRIV: make.latin('SN-0815\0x') }),
      make.latin('TAG'),
      Buffer.alloc(125),
    ])
    const again = served(bytes, (await check(bytes)).pieces)
    expect(
      again.equals(
        Buffer.concat([
          make.latin('ID3\x03\0\0\0\0\0\x10TIT2'),
          make.be32(6),
          Buffer.alloc(2),
          make.latin('\0Dhime'),
          make.silence(),
        ]),
      ),
    ).toBe(true)
  })

  test('a video keeps its length and loses its position', async () => {
    const bytes = make.mp4({ notes: make.latin('\0\x12\x15\xc7+27.6722+085.4279/') })
    const again = served(bytes, (await check(bytes)).pieces)
    expect(bytes.includes('+27.6722')).toBe(true)
    expect([again.length, again.includes('+27.6722'), again.includes('udta')]).toEqual([bytes.length, false, false])
  })
})

describe('a file that is two things at once', () => {
  const pairs = contentTypes.flatMap((one) => contentTypes.filter((it) => it !== one).map((other) => ({ one, other })))

  test.each(pairs)('$other after $one is refused', async ({ one, other }) => {
    expect(await reason(Buffer.concat([files[one], files[other]]))).toEqual(expect.any(String))
  })

  test.each(pairs)('$other before $one is refused', async ({ one, other }) => {
    expect(await reason(Buffer.concat([files[other], files[one]]))).toEqual(expect.any(String))
  })

  /** Where each format leaves room for anything. */
  const rooms: Readonly<
    Record<string, { in: ContentType; hide: (it: Buffer) => Buffer; may?: readonly ContentType[] }>
  > = {
    'a comment of a JPEG': { in: 'image/jpeg', hide: (it) => make.withSegment(files['image/jpeg'], 0xfe, it) },
    'a private segment of a JPEG': { in: 'image/jpeg', hide: (it) => make.withSegment(files['image/jpeg'], 0xe7, it) },
    'the colour profile of a JPEG': {
      in: 'image/jpeg',
      hide: (it) =>
        make.withSegment(files['image/jpeg'], 0xe2, Buffer.concat([make.latin('ICC_PROFILE\0\x01\x01'), it])),
    },
    'a text of a PNG': {
      in: 'image/png',
      hide: (it) =>
        make.withChunks(files['image/png'], make.chunk('tEXt', Buffer.concat([make.latin('Comment\0'), it]))),
    },
    'a private chunk of a PNG': {
      in: 'image/png',
      hide: (it) => make.withChunks(files['image/png'], make.chunk('abCd', it)),
    },
    'the colour profile of a PNG': {
      in: 'image/png',
      hide: (it) => make.withChunks(files['image/png'], make.chunk('iCCP', it)),
    },
    'an unknown chunk of a WebP': { in: 'image/webp', hide: (it) => make.withRiff(files['image/webp'], 'ABCD', it) },
    'the XMP of a WebP': {
      in: 'image/webp',
      hide: (it) =>
        make.withRiff(photographs['image/webp'].subarray(0, photographs['image/webp'].indexOf('XMP ')), 'XMP ', it),
    },
    'a comment of a PDF': { in: 'application/pdf', hide: (it) => make.pdf({ comment: it }) },
    'the room between the objects of a PDF': { in: 'application/pdf', hide: (it) => make.pdf({ between: it }) },
    'a text of a PDF': {
      in: 'application/pdf',
      hide: (it) => make.pdf({ title: Buffer.from(it.toString('latin1').replace(/[\\()]/g, '\\$&'), 'latin1') }),
    },
    // A PDF carries pictures; it is a PDF to everyone who opens it.
    'a stream of a PDF': {
      in: 'application/pdf',
      hide: (it) => make.pdf({ more: it }),
      may: ['image/jpeg', 'image/png', 'image/webp'],
    },
    'a private frame of an MP3': { in: 'audio/mpeg', hide: (it) => make.mp3({ PRIV: it }) },
    'a text of an MP3': { in: 'audio/mpeg', hide: (it) => make.mp3({ TXXX: it }) },
    // A cover is a picture. It is not served.
    'the cover of an MP3': {
      in: 'audio/mpeg',
      hide: (it) => make.mp3({ APIC: it }),
      may: ['image/jpeg', 'image/png', 'image/webp'],
    },
    'the free room of an MP4': { in: 'video/mp4', hide: (it) => make.mp4({ free: it }) },
    'a note of an MP4': { in: 'video/mp4', hide: (it) => make.mp4({ notes: it }) },
    'what no track of an MP4 plays': { in: 'video/mp4', hide: (it) => make.mp4({ unplayed: it }) },
  }
  const hidden = Object.entries(rooms).flatMap(([name, room]) =>
    contentTypes.filter((other) => other !== room.in).map((other) => ({ name, other, ...room })),
  )

  test.each(hidden)('$other in $name', async ({ other, hide, may }) => {
    const said = await reason(hide(files[other]))
    if (may?.includes(other)) expect(said).toBeUndefined()
    else expect(said).toEqual(expect.any(String))
  })

  test('every room is taken while it holds nothing strange', async () => {
    for (const [name, { hide }] of Object.entries(rooms)) {
      if (name === 'an unknown chunk of a WebP' || name === 'the room between the objects of a PDF') continue
      expect([name, await reason(hide(make.latin('plain words')))]).toEqual([name, undefined])
    }
  })

  const archive = Buffer.concat([make.latin('PK\x05\x06'), Buffer.alloc(18)])
  const markup = make.latin('<html><script>alert(1)</script>')
  const program = make.latin('\x7fELF\x02\x01\x01')
  test.each([
    ['an archive', archive],
    ['markup', markup],
    ['a program', program],
  ])('%s after or inside any of them is refused', async (_what, other) => {
    for (const type of contentTypes)
      expect([type, await reason(Buffer.concat([files[type], other]))]).toEqual([type, expect.any(String)])
    for (const [name, { hide }] of Object.entries(rooms))
      expect([name, await reason(hide(other))]).toEqual([name, expect.any(String)])
  })
})

describe('a damaged file', () => {
  test.each(contentTypes)('%s that ends early, wherever, is refused', async (type) => {
    const bytes = files[type]
    // A PDF is whole without the end of its last line, and a recording without its last frames.
    const whole = new Set(
      type === 'application/pdf'
        ? [bytes.length - 1]
        : type === 'audio/mpeg'
          ? Array.from({ length: 9 }, (_, i) => bytes.length - 208 * (i + 1))
          : [],
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length - 1 }), async (length) => {
        expect([length, await reason(bytes.subarray(0, length))]).toEqual([
          length,
          whole.has(length) ? undefined : expect.any(String),
        ])
      }),
      { numRuns: 400 },
    )
  })

  test.each(contentTypes)(
    'any byte of %s may be anything: it is taken or refused, and nothing else happens',
    async (type) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
          async (changes) => {
            const bytes = Buffer.from(files[type])
            for (const [at, value] of changes) bytes[at % bytes.length] = value
            const said = await reason(bytes)
            expect(said === undefined || said.length > 10).toBe(true)
          },
        ),
        { numRuns: 400 },
      )
    },
  )

  test.each(contentTypes)('bytes that only begin like %s are refused', async (type) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (rest) => {
        expect(await reason(Buffer.concat([files[type].subarray(0, 24), rest]))).toEqual(expect.any(String))
      }),
      { numRuns: 200 },
    )
  })

  /** Each length that a format writes down, a little more than it is. */
  const lengths: Readonly<
    Record<string, (bytes: Record<ContentType, Buffer>) => { bytes: Buffer; at: number; by?: number }>
  > = {
    'the first segment of a JPEG': (it) => ({ bytes: it['image/jpeg'], at: 5 }),
    'a chunk of a PNG': (it) => ({ bytes: it['image/png'], at: 11 }),
    'a WebP': (it) => ({ bytes: it['image/webp'], at: 4 }),
    'a chunk of a WebP': (it) => ({ bytes: it['image/webp'], at: 16 }),
    'a box of an MP4': (it) => ({ bytes: it['video/mp4'], at: 3 }),
    'the tag of an MP3': (it) => ({ bytes: it['audio/mpeg'], at: 9 }),
    'a frame in the tag of an MP3': (it) => ({ bytes: it['audio/mpeg'], at: 17, by: 64 }),
    'the bit rate of a frame of an MP3': (it) => ({
      bytes: it['audio/mpeg'],
      at: it['audio/mpeg'].length - 208 + 2,
      by: 16,
    }),
    'the place of the table of a PDF': (it) => ({
      bytes: it['application/pdf'],
      at: it['application/pdf'].lastIndexOf('startxref') + 12,
    }),
    'a length in a PDF': (it) => ({
      bytes: it['application/pdf'],
      at: it['application/pdf'].indexOf('5 0 obj\n5') + 8,
      by: 2,
    }),
  }
  test.each(Object.keys(lengths))('%s with a length that is wrong is refused', async (name) => {
    const { bytes, at, by = 1 } = lengths[name]?.(files) ?? { bytes: Buffer.alloc(0), at: 0 }
    const wrong = Buffer.from(bytes)
    wrong[at] = (wrong[at] ?? 0) + by
    expect(await reason(wrong)).toEqual(expect.any(String))
  })
})

describe('each refusal says why', () => {
  const said = async (bytes: Buffer) => (await reason(bytes)) ?? 'taken'

  test('nothing, something else, something cut short, something appended', async () => {
    expect(await said(Buffer.alloc(0))).toBe('The file is empty.')
    expect(await said(make.latin('GIF89a'))).toBe(
      'The file is none of image/jpeg, image/png, image/webp, application/pdf, audio/mpeg, video/mp4.',
    )
    expect(await said(files['image/png'].subarray(0, 60))).toBe('The file is cut short or damaged.')
    expect(await said(Buffer.concat([files['image/jpeg'], Buffer.alloc(1)]))).toBe(
      'There are bytes after the end of the image.',
    )
    expect(await said(Buffer.concat([files['application/pdf'], make.latin('\nxx')]))).toBe(
      'There are bytes in the PDF that are no part of it.',
    )
    expect(await said(make.withSegment(files['image/jpeg'], 0xfe, make.latin('%PDF-1.4')))).toBe(
      'There is PDF hidden in the file.',
    )
  })

  test('a checksum of a PNG that does not fit', async () => {
    const bytes = Buffer.from(files['image/png'])
    bytes[30] = (bytes[30] ?? 0) ^ 1
    expect(await said(bytes)).toBe('A checksum in the file is wrong.')
  })

  test('a PNG whose data cannot be unpacked, under a checksum that fits', async () => {
    const bytes = files['image/png']
    const from = bytes.indexOf('IDAT') - 4
    const to = from + 12 + bytes.readUInt32BE(from)
    const withData = (data: Buffer) =>
      Buffer.concat([bytes.subarray(0, from), make.chunk('IDAT', data), bytes.subarray(to)])
    const data = bytes.subarray(from + 8, to - 4)
    expect(await said(withData(data))).toBe('taken')
    expect(await said(withData(Buffer.alloc(data.length, 0x55)))).toBe('The file is cut short or damaged.')
    // Every pixel is there, and what the data ends with is not.
    expect(await said(withData(data.subarray(0, data.length - 3)))).toBe('The file is cut short or damaged.')
  })

  test('a PNG whose colour profile would fill the memory of whoever shows it', async () => {
    const profile = (bytes: number) =>
      make.chunk('iCCP', Buffer.concat([make.latin('profile\0\0'), deflateSync(Buffer.alloc(bytes))]))
    const bomb = profile(100_000_000)
    expect(bomb.length).toBeLessThan(100_000)
    expect(await said(make.withChunks(files['image/png'], profile(3_000_000)))).toBe('taken')
    expect(await said(make.withChunks(files['image/png'], bomb))).toBe(
      'The colour profile of the image unpacks to more than 4194304 bytes.',
    )
    const many = Array.from({ length: 2 }, () => profile(1000))
    expect(await said(make.withChunks(files['image/png'], ...many))).toBe('The file is cut short or damaged.')
  })

  test('packed texts of a PNG are neither unpacked nor passed on', async () => {
    const packed = deflateSync(Buffer.alloc(100_000_000))
    const texts = [
      make.chunk('zTXt', Buffer.concat([make.latin('Comment\0\0'), packed])),
      make.chunk('iTXt', Buffer.concat([make.latin('Comment\0\u0001\0\0\0'), packed])),
    ]
    const png = make.withChunks(files['image/png'], ...texts)
    const before = process.memoryUsage().arrayBuffers
    const { pieces } = await check(png)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
    expect(served(png, pieces).length).toBe(files['image/png'].length)
  })

  test('a picture that would fill the memory: by what it says, and by what it unpacks to', async () => {
    const header = (width: number, height: number, sample?: { depth: number; colour: number }) => {
      const body = Buffer.from(files['image/png'].subarray(16, 29))
      body.writeUInt32BE(width, 0)
      body.writeUInt32BE(height, 4)
      if (sample) body.set([sample.depth, sample.colour], 8)
      return Buffer.concat([
        files['image/png'].subarray(0, 8),
        make.chunk('IHDR', body),
        files['image/png'].subarray(33),
      ])
    }
    expect(await said(header(20_000, 20_000))).toBe(
      'The image has more than 100 million pixels, or a side of more than 30,000.',
    )
    // 10,000 pixels square, of four samples of 16 bits: refused by what it says, before anything is unpacked.
    expect(await said(header(10_000, 10_000, { depth: 16, colour: 6 }))).toBe(
      'The image unpacks to more than 410000000 bytes.',
    )
    expect(await said(header(64, 47))).toBe('The image unpacks to more than its size says.')
    expect(await said(header(64, 49))).toBe('The file is cut short or damaged.')
    expect(await said(header(0, 48))).toBe('The image has no width or height.')
  })

  test('a PDF that only some can open', async () => {
    const bytes = Buffer.from(make.pdf().toString('latin1').replace('/Info 6 0 R', '/Encrypt 6 0 R'), 'latin1')
    expect(await said(bytes)).toBe('The PDF is encrypted. Send one that everybody can open.')
  })

  test('boxes in boxes in boxes', async () => {
    let nested = make.box('free', Buffer.alloc(8))
    for (let depth = 0; depth < 20; depth += 1) nested = make.box('trak', nested)
    const bytes = Buffer.concat([
      make.mp4().subarray(0, 32),
      make.box('mdat', Buffer.alloc(8)),
      make.box('moov', nested),
    ])
    expect(await said(bytes)).toBe('The file is built too intricately.')
  })
})
