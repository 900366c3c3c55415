type Resources = { Resources: Record<string, object> }

/**
 * The API under a domain of its own; no resources if `name` is empty. The operator points the domain at the stack's output
 * `DomainTarget`.
 */
export function domain(name: string, certificate: string): Resources & { Outputs: Record<string, object> } {
  if (!name) return { Resources: {}, Outputs: {} }
  if (!certificate) throw new Error(`API_DOMAIN is ${name}, and API_CERTIFICATE_ARN is missing.`)
  return {
    Resources: {
      Domain: {
        Type: 'AWS::ApiGatewayV2::DomainName',
        Properties: {
          DomainName: name,
          DomainNameConfigurations: [
            { CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
          ],
        },
      },
      DomainMapping: {
        Type: 'AWS::ApiGatewayV2::ApiMapping',
        DependsOn: ['HttpApiStage'],
        Properties: { ApiId: { Ref: 'HttpApi' }, DomainName: { Ref: 'Domain' }, Stage: '$default' },
      },
    },
    Outputs: {
      DomainTarget: {
        Description: 'What the name has to point at, as CNAME or alias',
        Value: { 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] },
      },
    },
  }
}
