import type { ClientMetadata } from 'oidc-provider'

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

const cliClientId = 'deposit-cli'

export const pagesClientId = 'deposit-pages'

export function isFirstParty(clientId: string): boolean {
  return clientId === cliClientId || clientId === pagesClientId
}

/**
 * The programs of this package, which sign people in. They can keep no secret, and have none.
 *
 * @param signedIn path of the page that a browser comes back to
 */
export function firstPartyClients(origin: string, signedIn: string): ClientMetadata[] {
  return [
    {
      client_id: cliClientId,
      client_name: 'deposit (command line)',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: [deviceGrant, 'refresh_token'],
      redirect_uris: [],
      response_types: [],
    },
    {
      client_id: pagesClientId,
      client_name: 'deposit (pages)',
      // A native client may be sent back to http on a loopback address, a web client may not.
      application_type: origin.startsWith('https:') ? 'web' : 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [origin + signedIn],
      response_types: ['code'],
    },
  ]
}
