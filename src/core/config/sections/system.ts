import { Type } from '@sinclair/typebox'

export const databaseSection = Type.Object(
  {
    url: Type.String({
      default: '',
      pattern: '^$|^(sqlite:|postgres(ql)?://)',
      description:
        'Empty: an SQLite file in data_dir. Otherwise sqlite:PATH or postgres://user:password@host/database.',
    }),
    max_connections: Type.Integer({
      default: 20,
      minimum: 2,
      description: 'PostgreSQL connections of this process; the database must allow these and a few more for commands.',
    }),
    start_timeout: Type.Integer({
      default: 60,
      minimum: 0,
      maximum: 86_400,
      description: 'Seconds to wait for an unreachable PostgreSQL when the server starts; 0 to fail at once.',
    }),
  },
  { additionalProperties: false, description: 'The database.' },
)

export const logSection = Type.Object(
  {
    level: Type.Union(
      (['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const).map((level) => Type.Literal(level)),
      { default: 'info', description: 'Minimum level of log lines.' },
    ),
  },
  { additionalProperties: false, description: 'Log lines, JSON on standard error.' },
)

export const securitySection = Type.Object(
  {
    secret_key: Type.String({
      default: '',
      description:
        'Key that encrypts stored secrets. Empty: generated at the first start and stored in data_dir/secret.key.',
    }),
    former_secret_keys: Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
      default: [],
      maxItems: 20,
      description:
        'Former values of secret_key, needed to decrypt stored secrets until ingot admin rotate-key has finished.',
    }),
    min_password_length: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 255,
      description: 'Minimum length of passwords.',
    }),
    password_complexity: Type.String({
      default: 'off',
      pattern: '^$|^off$|^ *(lower|upper|digit|spec)( *, *(lower|upper|digit|spec))* *$',
      description:
        'off, or a comma list of lower, upper, digit, spec: kinds of characters that a password must contain.',
    }),
    password_check_pwn: Type.Boolean({
      default: false,
      description:
        'Refuse new passwords that appear in lists of stolen passwords. The service at password_pwn_url receives the first ' +
        'five characters of their SHA-1 hash.',
    }),
    password_pwn_url: Type.String({
      default: 'https://api.pwnedpasswords.com/range/',
      pattern: '^https?://.*/$',
      description: 'URL of that service, which must implement the range API of Pwned Passwords.',
    }),
    disable_query_auth_token: Type.Boolean({ default: false, description: 'Ignore tokens in the query string.' }),
    reverse_proxy_authentication_user: Type.String({
      default: 'X-WEBAUTH-USER',
      minLength: 1,
      description: 'Header with the user name, set by the reverse proxy.',
    }),
    reverse_proxy_authentication_email: Type.String({
      default: 'X-WEBAUTH-EMAIL',
      minLength: 1,
      description: 'Header with the e-mail address for a created account.',
    }),
    reverse_proxy_authentication_full_name: Type.String({
      default: 'X-WEBAUTH-FULLNAME',
      minLength: 1,
      description: 'Header with the full name for a created account.',
    }),
    session_lifetime: Type.Integer({
      default: 168,
      minimum: 1,
      maximum: 8760,
      description: 'Hours until the web pages require the password again.',
    }),
  },
  { additionalProperties: false, description: 'Passwords, tokens, keys.' },
)

export const auditSection = Type.Object(
  {
    days: Type.Integer({
      default: 180,
      minimum: 0,
      maximum: 36_500,
      description: 'Days until entries of the audit log are deleted; 0 keeps them for ever.',
    }),
  },
  { additionalProperties: false, description: 'Audit log (docs/operate/audit.md).' },
)

export const corsSection = Type.Object(
  {
    enabled: Type.Boolean({ default: false, description: 'Allow web pages of other origins to call the API.' }),
    allow_domain: Type.String({ default: '*', description: 'Comma list of origins, or *.' }),
    methods: Type.String({
      default: 'GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS',
      description: 'Allowed methods.',
    }),
    headers: Type.String({
      default: 'Content-Type,User-Agent',
      description: 'Allowed headers in addition to Authorization and the one-time password.',
    }),
    max_age: Type.Integer({
      default: 600,
      minimum: 0,
      description: 'Seconds for which browsers may cache the response to a preflight request.',
    }),
    allow_credentials: Type.Boolean({ default: false, description: 'Allow browsers to send credentials.' }),
  },
  { additionalProperties: false, description: 'Cross-origin requests (CORS).' },
)

export const sshSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Enable git over SSH.' }),
    host: Type.String({ default: '127.0.0.1', minLength: 1, description: 'Address the SSH server listens on.' }),
    port: Type.Integer({
      default: 2222,
      minimum: 0,
      maximum: 65_535,
      description: 'Port the SSH server listens on; 0 picks a free port.',
    }),
    domain: Type.String({ default: '', description: 'Host name in SSH clone addresses. Empty: the host of root_url.' }),
    public_port: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 65_535,
      description:
        'Port in SSH clone addresses if it differs from the listening port, as behind a container; 0 is the same.',
    }),
    user: Type.String({ default: 'git', minLength: 1, description: 'User name for SSH clients.' }),
    trusted_user_ca_keys: Type.Array(Type.String(), {
      default: [],
      description:
        'Public keys of certificate authorities, as OpenSSH writes them. Their certificates sign users in over SSH and by ' +
        'HTTP signature. The principals of a certificate are user names or activated addresses.',
    }),
    minimum_rsa_key_size: Type.Integer({
      default: 3071,
      minimum: 0,
      maximum: 16_384,
      description: 'Minimum size of RSA keys that users add, in bits; 0 accepts every size.',
    }),
  },
  { additionalProperties: false, description: 'The SSH server.' },
)

export const federationSection = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      description: 'Serve NodeInfo and WebFinger.',
    }),
    share_user_statistics: Type.Boolean({
      default: true,
      description: 'Include the numbers of users and posts in NodeInfo.',
    }),
  },
  { additionalProperties: false, description: 'Discovery by other servers.' },
)

export const metricsSection = Type.Object(
  {
    enabled: Type.Boolean({ default: false, description: 'Serve Prometheus metrics at /metrics.' }),
    host: Type.String({
      default: '127.0.0.1',
      minLength: 1,
      description: 'Address of the metrics listener, if it has its own port.',
    }),
    port: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 65_535,
      description: 'Port of a listener for metrics only; 0 serves them on the main port.',
    }),
  },
  { additionalProperties: false, description: 'Metrics.' },
)
