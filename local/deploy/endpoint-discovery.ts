/**
 * Stands in for the SDK's endpoint discovery in the bundles. The table has one address and never asks for another; what would
 * keep discovered ones is as large as a slice of ours, and each start would read it.
 */
export const resolveEndpointDiscoveryConfig = <T>(config: T): T => config
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
}
