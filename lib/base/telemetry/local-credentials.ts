/**
 * The name that signs calls to emulators. Commands on this machine sign as `local`. In the local service each function signs with its
 * own name, so the stand-ins check its role.
 */
export const localSigner = { name: 'local' }

/**
 * Credentials for a table or a bucket at an address of its own. Emulators check no secret. A server that runs the service itself has a key.
 * A client calls this before its first call.
 */
export const localCredentials = async () => {
  const { STAGE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
  return STAGE !== 'local' && AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY
    ? { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY }
    : { accessKeyId: localSigner.name, secretAccessKey: 'local' }
}
