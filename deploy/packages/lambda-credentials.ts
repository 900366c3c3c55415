/**
 * Replaces the SDK's chain of credential providers in bundles: on Lambda, credentials come from the environment only. This leaves
 * the clients of SSO, STS and others out, which are a quarter of each bundle and of its start.
 */
export const defaultProvider = () => async () => ({
  accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? '',
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? '',
  ...(process.env.AWS_SESSION_TOKEN && { sessionToken: process.env.AWS_SESSION_TOKEN }),
})
