import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

/** Signs what goes to one service of AWS in one region, with AWS's signature, version 4. */
export const signerOf = (service: string, region: string, credentials: Credentials): SignatureV4 =>
  new SignatureV4({
    service,
    region,
    credentials,
    sha256: Sha256,
    applyChecksum: false,
    // S3 alone takes paths as they stand; all others want them escaped twice.
    uriEscapePath: service !== 's3',
  })
