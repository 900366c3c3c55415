/**
 * The name that signs calls to emulators. Commands on this machine sign as `local`. In the local service each function signs with its
 * own name, so the stand-ins check its role.
 */
export const localSigner = { name: 'local' }

/**
 * Credentials for a table or a bucket at a configured address, such as `DYNAMODB_ENDPOINT`. In the stage `local` these are emulators,
 * which check no secret. In other stages the environment may have a key. A client calls this before its first call.
 */
export const localCredentials = async () => {
  const { STAGE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
  return STAGE !== 'local' && AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY
    ? { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY }
    : { accessKeyId: localSigner.name, secretAccessKey: 'local' }
}
