import { createHash } from 'node:crypto'

/** A bucket in memory, by the part of S3's HTTP interface that the service calls. */
type Stored = { bytes: Buffer; type: string; at: Date }
export type Asked = {
  method: string
  path: string
  query: Readonly<Record<string, unknown>>
  headers: Readonly<Record<string, string>>
}
export type Told = { statusCode: number; headers: Record<string, string>; body: Buffer }

const xml = (text: string): Buffer => Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${text}`)
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`
const failed = (statusCode: number, Code: string): Told => ({
  statusCode,
  headers: { 'content-type': 'application/xml' },
  body: xml(`<Error><Code>${Code}</Code><Message>${Code}</Message></Error>`),
})
const done = (body: Buffer = Buffer.alloc(0), headers: Record<string, string> = {}): Told => ({
  statusCode: 200,
  headers: { 'content-length': String(body.length), ...headers },
  body,
})

export class Bucket {
  objects = new Map<string, Stored>()
  #uploads = new Map<string, { key: string; type: string; parts: Map<number, Buffer> }>()
  #number = 0

  /** Answers one request; `now` is what the bucket's clock says. */
  answer({ method, path, query, headers }: Asked, body: Buffer, now: Date): Told {
    const key = decodeURIComponent(path.split('/').slice(2).join('/'))
    if (key === '') return method === 'HEAD' ? done() : this.#list(query)
    if (method === 'POST' || query.uploadId !== undefined)
      return this.#multipart(method, key, query, headers, body, now)
    if (method === 'PUT') return this.#put(key, headers, body, now)
    if (method === 'DELETE') {
      this.objects.delete(key)
      return { ...done(), statusCode: 204 }
    }
    const found = this.objects.get(key)
    if (!found)
      return method === 'HEAD' ? { ...failed(404, 'NotFound'), body: Buffer.alloc(0) } : failed(404, 'NoSuchKey')
    const about = { 'content-type': found.type, etag: etagOf(found.bytes), 'last-modified': found.at.toUTCString() }
    if (method === 'HEAD') return { ...done(), headers: { ...about, 'content-length': String(found.bytes.length) } }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    if (from === undefined) return done(found.bytes, about)
    if (Number(from) >= found.bytes.length) return failed(416, 'InvalidRange')
    return { ...done(found.bytes.subarray(Number(from), Number(to) + 1), about), statusCode: 206 }
  }

  #put(key: string, headers: Readonly<Record<string, string>>, body: Buffer, now: Date): Told {
    const source = headers['x-amz-copy-source']
    const from =
      source === undefined ? undefined : this.objects.get(decodeURIComponent(source).replace(/^\/?[^/]+\//, ''))
    if (source !== undefined && !from) return failed(404, 'NoSuchKey')
    const stored = from ?? { bytes: body, type: headers['content-type'] ?? 'application/octet-stream', at: now }
    this.objects.set(key, { ...stored, at: now })
    const etag = etagOf(stored.bytes)
    if (!from) return done(undefined, { etag })
    return done(
      xml(
        `<CopyObjectResult><ETag>${escaped(etag)}</ETag><LastModified>${now.toISOString()}</LastModified></CopyObjectResult>`,
      ),
    )
  }

  #list(query: Readonly<Record<string, unknown>>): Told {
    const prefix = String(query.prefix ?? '')
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort()
    const contents = keys.map(
      (key) => `<Contents><Key>${escaped(key)}</Key><Size>${this.objects.get(key)?.bytes.length}</Size></Contents>`,
    )
    return done(
      xml(
        `<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>${keys.length}</KeyCount>${contents.join('')}</ListBucketResult>`,
      ),
    )
  }

  #multipart(
    method: string,
    key: string,
    query: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    now: Date,
  ): Told {
    if (query.uploads !== undefined) {
      const id = `upload-${++this.#number}`
      this.#uploads.set(id, { key, type: headers['content-type'] ?? '', parts: new Map() })
      return done(
        xml(
          `<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>${escaped(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        ),
      )
    }
    const upload = this.#uploads.get(String(query.uploadId))
    if (!upload) return failed(404, 'NoSuchUpload')
    if (method === 'PUT') {
      upload.parts.set(Number(query.partNumber), body)
      return done(undefined, { etag: etagOf(body) })
    }
    const bytes = Buffer.concat([...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part))
    this.objects.set(key, { bytes, type: upload.type, at: now })
    this.#uploads.delete(String(query.uploadId))
    return done(
      xml(
        `<CompleteMultipartUploadResult><Key>${escaped(key)}</Key><ETag>${escaped(etagOf(bytes))}</ETag></CompleteMultipartUploadResult>`,
      ),
    )
  }
}
