import { domain as ownDomain } from './custom-domain.ts'

type Parts = { Resources: Record<string, { Type: string; Properties: object }>; Outputs: Record<string, object> }

/** Requests of one address in five minutes, above which the firewall answers 429 for a while. */
const MOST_IN_FIVE_MINUTES = 2000

/**
 * The name under which clients call the service. Without an edge it leads to the gateway. With one it leads to CloudFront with a firewall,
 * which calls the gateway under the same name and proves itself by a secret header. Answers are cached as their headers say. `secret` names
 * the parameter with that header's value, as `ssm:/NAME`.
 */
export function front(
  service: string,
  { domain, certificate, edge, secret }: { domain: string; certificate: string; edge: boolean; secret: string },
): Parts {
  const direct = ownDomain(domain, certificate)
  if (!edge) return direct as Parts
  return {
    Resources: {
      ...(direct.Resources as Parts['Resources']),
      EdgeCache: { Type: 'AWS::CloudFront::CachePolicy', Properties: { CachePolicyConfig: cachePolicy(service) } },
      EdgeRequest: {
        Type: 'AWS::CloudFront::OriginRequestPolicy',
        Properties: { OriginRequestPolicyConfig: requestPolicy(service) },
      },
      Firewall: { Type: 'AWS::WAFv2::WebACL', Properties: firewall(service) },
      Edge: {
        Type: 'AWS::CloudFront::Distribution',
        Properties: { DistributionConfig: distribution(domain, certificate, secret) },
      },
    },
    Outputs: {
      DomainTarget: {
        Description: 'What the name has to point at, as CNAME or alias',
        Value: { 'Fn::GetAtt': ['Edge', 'DomainName'] },
      },
    },
  }
}

/** The cache key. An answer is cached as long as its headers say, and a day at most; without such headers it is not cached. */
const cachePolicy = (service: string) => ({
  Name: `${service}-answers`,
  MinTTL: 0,
  DefaultTTL: 0,
  MaxTTL: 86_400,
  ParametersInCacheKeyAndForwardedToOrigin: {
    EnableAcceptEncodingGzip: true,
    EnableAcceptEncodingBrotli: false,
    HeadersConfig: {
      HeaderBehavior: 'whitelist',
      Headers: ['Accept', 'Accept-Language', 'Authorization', 'Host', 'Origin', 'Prefer'],
    },
    CookiesConfig: { CookieBehavior: 'all' },
    QueryStringsConfig: { QueryStringBehavior: 'all' },
  },
})

/** All that the client sent goes to the gateway, and the client's address as CloudFront saw it. */
const requestPolicy = (service: string) => ({
  Name: `${service}-requests`,
  HeadersConfig: { HeaderBehavior: 'allViewerAndWhitelistCloudFront', Headers: ['CloudFront-Viewer-Address'] },
  CookiesConfig: { CookieBehavior: 'all' },
  QueryStringsConfig: { QueryStringBehavior: 'all' },
})

const distribution = (domain: string, certificate: string, secret: string) => ({
  Enabled: true,
  Comment: domain,
  Aliases: [domain],
  HttpVersion: 'http2and3',
  IPV6Enabled: true,
  ViewerCertificate: {
    AcmCertificateArn: certificate,
    SslSupportMethod: 'sni-only',
    MinimumProtocolVersion: 'TLSv1.2_2021',
  },
  WebACLId: { 'Fn::GetAtt': ['Firewall', 'Arn'] },
  Origins: [
    {
      Id: 'gateway',
      DomainName: { 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] },
      CustomOriginConfig: {
        OriginProtocolPolicy: 'https-only',
        OriginSSLProtocols: ['TLSv1.2'],
        OriginReadTimeout: 30,
      },
      // CloudFormation reads the parameter, which is of type String: CloudFront takes no encrypted one.
      OriginCustomHeaders: [{ HeaderName: 'x-edge-secret', HeaderValue: `{{resolve:${secret}}}` }],
    },
  ],
  DefaultCacheBehavior: {
    TargetOriginId: 'gateway',
    ViewerProtocolPolicy: 'redirect-to-https',
    AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
    CachedMethods: ['GET', 'HEAD'],
    CachePolicyId: { Ref: 'EdgeCache' },
    OriginRequestPolicyId: { Ref: 'EdgeRequest' },
    // The service compresses its answers itself.
    Compress: false,
  },
})

const visible = (MetricName: string) => ({
  CloudWatchMetricsEnabled: true,
  SampledRequestsEnabled: false,
  MetricName,
})

const firewall = (service: string) => ({
  Name: service,
  Scope: 'CLOUDFRONT',
  DefaultAction: { Allow: {} },
  VisibilityConfig: visible('firewall'),
  Rules: [
    {
      Name: 'rate',
      Priority: 0,
      Statement: {
        RateBasedStatement: { Limit: MOST_IN_FIVE_MINUTES, EvaluationWindowSec: 300, AggregateKeyType: 'IP' },
      },
      Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
      VisibilityConfig: visible('rate'),
    },
    {
      Name: 'reputation',
      Priority: 1,
      Statement: {
        ManagedRuleGroupStatement: { VendorName: 'AWS', Name: 'AWSManagedRulesAmazonIpReputationList' },
      },
      OverrideAction: { None: {} },
      VisibilityConfig: visible('reputation'),
    },
  ],
})
