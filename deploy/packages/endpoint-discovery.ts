/**
 * Replaces the SDK's endpoint discovery in bundles. DynamoDB has one address here, so nothing is discovered. Without the SDK's code
 * for it a start reads less.
 */
export const resolveEndpointDiscoveryConfig = <T>(config: T): T => config
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
}
