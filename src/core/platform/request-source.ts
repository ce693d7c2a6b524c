/** The client of a request. */
export interface RequestClient {
  /** IP address; empty on the command line. */
  readonly address: string
  /** The name that the client sends, at most `MAX_USER_AGENT` characters. */
  readonly userAgent: string
}

/** The origin of a request and its credential, for records of who did what. */
export interface RequestSource extends RequestClient {
  readonly credential: RequestCredential
  /** The administrator who acts as the account. */
  readonly sudoBy?: { readonly id: number; readonly name: string } | undefined
}

/**
 * How the client authenticated; `ldap` is a password that a directory has checked. Only the kinds that have rows of
 * their own have an id; others have 0.
 */
export interface RequestCredential {
  readonly kind:
    | 'none'
    | 'password'
    | 'ldap'
    | 'passkey'
    | 'session'
    | 'access-token'
    | 'oauth2-token'
    | 'ssh-key'
    | 'ssh-certificate'
    | 'deploy-key'
    | 'http-signature'
    | 'reverse-proxy'
    | 'sign-in-source'
    | 'command-line'
  /** Id of the access token, the OAuth2 application, the key, the passkey or the sign-in source. */
  readonly id: number
}

const MAX_USER_AGENT = 256

/** The User-Agent header, or the software version of an SSH client, bounded and without control characters. */
export const boundedUserAgent = (text: string | undefined): string =>
  (text ?? '').slice(0, MAX_USER_AGENT).replaceAll(/\p{Cc}/gu, ' ')
