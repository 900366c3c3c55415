import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

/** Makes the signer of requests to one service of AWS in one region, with AWS Signature Version 4. */
export const signerOf = (service: string, region: string, credentials: Credentials): SignatureV4 =>
  new SignatureV4({
    service,
    region,
    credentials,
    sha256: Sha256,
    applyChecksum: false,
    // S3 signs paths as they are. All other services sign them escaped twice.
    uriEscapePath: service !== 's3',
  })
