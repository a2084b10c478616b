/** @see RFC 6749 §5.2 */
const oauthError = {
  'application/json': {
    schema: {
      type: 'object',
      properties: { error: { type: 'string' }, error_description: { type: 'string' } },
      required: ['error'],
    },
  },
} as const

const refused = {
  400: { description: 'The request is wrong, or not granted yet.', content: oauthError },
  401: { description: 'The client is not who it says.', content: oauthError },
  429: { description: 'Too many at once; try again later.', content: oauthError },
} as const

interface Answers {
  readonly responses: Readonly<Record<number, object>>
  readonly parameters?: readonly object[]
  readonly requestBody?: object
  readonly security?: readonly object[]
}

function operation(operationId: string, summary: string, { security = [], ...rest }: Answers) {
  return { operationId, tags: ['sign-in'], summary, description: `${summary}.`, security, ...rest }
}

function answer(
  description: string,
  properties: Readonly<Record<string, object>>,
  type = 'application/json',
) {
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  return { description, content: { [type]: { schema } } }
}

function problem(description: string) {
  const schema = { $ref: '#/components/schemas/Problem' }
  return { description, content: { 'application/json': { schema } } }
}

/** A form, of which `example` names the fields. */
function form(example: Readonly<Record<string, string>>, required: readonly string[]) {
  const properties = Object.fromEntries(
    Object.keys(example).map((name) => [name, { type: 'string' }]),
  )
  const schema = { type: 'object', properties, required, examples: [example] }
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } }
}

function metadata(id: string, summary: string, property: string) {
  const found = answer('The metadata.', { [property]: { type: 'string' } })
  return operation(id, summary, { responses: { 200: found, ...refused } })
}

/**
 * The endpoints of the embedded issuer, which no operation of ours answers: their errors have the
 * form of OAuth.
 *
 * @see RFC 6749, RFC 7009, RFC 7662, RFC 8414, RFC 8628, RFC 9728, OpenID Connect Core
 */
export const signInPaths = {
  '/oauth/auth': {
    get: operation('beginSignIn', 'Sign a person in by the code flow with PKCE, in a browser', {
      parameters: (
        [
          ['client_id', 'Id of the client.'],
          ['redirect_uri', 'Where the browser is sent back to, as it was registered.'],
          ['response_type', '`code`.'],
          [
            'scope',
            'Separated by spaces: `openid`, `deposit:write`, `deposit:actions` and others.',
          ],
          ['state', 'Comes back as it is.'],
          ['code_challenge', 'Of the verifier: SHA-256 in base64url.'],
          ['code_challenge_method', '`S256`.'],
        ] as const
      ).map(([name, description]) => ({
        name,
        in: 'query',
        description,
        required: name !== 'state' && name !== 'scope',
        schema: { type: 'string' },
      })),
      responses: {
        303: { description: 'To the page where they sign in.' },
        400: { description: 'The client or the address is unknown: a page that says so.' },
      },
    }),
  },
  '/oauth/device': {
    post: operation('beginDeviceSignIn', 'Begin a sign-in by a code that the person types', {
      requestBody: form({ client_id: 'deposit-cli', scope: 'openid deposit:write' }, ['client_id']),
      responses: {
        200: answer('The codes, and where to type the one for people.', {
          device_code: { type: 'string' },
          user_code: { type: 'string' },
          verification_uri: { type: 'string' },
          expires_in: { type: 'integer' },
        }),
        ...refused,
      },
    }),
  },
  '/oauth/token': {
    post: operation(
      'exchangeToken',
      'Exchange a code, a device code or a refresh token for tokens',
      {
        requestBody: form(
          {
            grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
            client_id: 'deposit-cli',
            device_code: 'dep_dc_4Vb1rQ',
          },
          ['grant_type'],
        ),
        responses: {
          200: answer('The tokens.', {
            access_token: { type: 'string' },
            token_type: { type: 'string' },
            expires_in: { type: 'integer' },
          }),
          ...refused,
        },
      },
    ),
  },
  '/oauth/revocation': {
    post: operation('revokeSignIn', 'Revoke a token of a sign-in', {
      requestBody: form({ client_id: 'deposit-cli', token: 'dep_rt_7Qm2xN' }, ['token']),
      responses: { 200: { description: 'It is good no more.' }, ...refused },
    }),
  },
  '/oauth/introspection': {
    post: operation('introspectToken', 'Tell a resource server whose a token is', {
      requestBody: form({ token: 'dep_at_9Zk3wL' }, ['token']),
      responses: {
        200: answer('What the token allows.', { active: { type: 'boolean' } }),
        ...refused,
      },
    }),
  },
  '/oauth/userinfo': {
    get: operation('readUserInfo', 'Read who signed in', {
      security: [{ signIn: ['openid'] }],
      responses: {
        200: answer('Claims of the scopes.', { sub: { type: 'string' } }),
        401: problem('The token does not come from a sign-in.'),
      },
    }),
  },
  '/oauth/jwks': {
    get: operation('readIssuerKeys', 'Read the public keys of the issuer', {
      responses: {
        200: answer(
          'The keys (RFC 7517).',
          { keys: { type: 'array', items: { type: 'object' } } },
          'application/jwk-set+json',
        ),
        ...refused,
      },
    }),
  },
  '/.well-known/openid-configuration': {
    get: metadata('readIssuerMetadata', 'Read what the issuer offers', 'issuer'),
  },
  '/.well-known/oauth-authorization-server': {
    get: metadata('readServerMetadata', 'Read what the issuer offers, for OAuth', 'issuer'),
  },
  '/.well-known/oauth-protected-resource/api': {
    get: metadata(
      'readResourceMetadata',
      'Read where tokens for this interface are had',
      'resource',
    ),
  },
} as const
