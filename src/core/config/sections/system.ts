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
      description:
        'PostgreSQL connections of this process; the server must allow as many and a few for commands beside it.',
    }),
    start_timeout: Type.Integer({
      default: 60,
      minimum: 0,
      maximum: 86_400,
      description:
        'Seconds for which a server that starts waits for PostgreSQL when it cannot be reached; 0 to end at once.',
    }),
  },
  { additionalProperties: false, description: 'The database.' },
)

export const logSection = Type.Object(
  {
    level: Type.Union(
      (['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const).map((level) => Type.Literal(level)),
      { default: 'info', description: 'Least important kind of log line that is written.' },
    ),
  },
  { additionalProperties: false, description: 'Log lines, JSON on standard error.' },
)

export const securitySection = Type.Object(
  {
    secret_key: Type.String({
      default: '',
      description: 'Key that encrypts stored secrets. Empty: made at first start and kept in data_dir/secret.key.',
    }),
    former_secret_keys: Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
      default: [],
      maxItems: 20,
      description:
        'Keys that decrypt what was stored before secret_key was changed, until ingot admin rotate-key is done.',
    }),
    min_password_length: Type.Integer({ default: 8, minimum: 1, maximum: 255, description: 'Shortest password.' }),
    password_complexity: Type.String({
      default: 'off',
      pattern: '^$|^off$|^ *(lower|upper|digit|spec)( *, *(lower|upper|digit|spec))* *$',
      description: 'off, or a comma list of lower, upper, digit, spec: kinds of characters a password must have.',
    }),
    password_check_pwn: Type.Boolean({
      default: false,
      description:
        'Refuse new passwords that are on lists of stolen ones. The service of password_pwn_url receives the first ' +
        'five characters of their SHA-1 hash.',
    }),
    password_pwn_url: Type.String({
      default: 'https://api.pwnedpasswords.com/range/',
      pattern: '^https?://.*/$',
      description: 'Where those lists are queried: an address with the interface of Pwned Passwords by range.',
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
      description: 'Header with the e-mail address of an account made on the fly.',
    }),
    reverse_proxy_authentication_full_name: Type.String({
      default: 'X-WEBAUTH-FULLNAME',
      minLength: 1,
      description: 'Header with the full name of an account made on the fly.',
    }),
    session_lifetime: Type.Integer({
      default: 168,
      minimum: 1,
      maximum: 8760,
      description: 'Hours after which the pages of the server ask for the password again.',
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
      description: 'Days for which entries of the audit log are kept; 0 keeps them for ever.',
    }),
  },
  { additionalProperties: false, description: 'The log of who did what; see docs/operate/audit.md.' },
)

export const corsSection = Type.Object(
  {
    enabled: Type.Boolean({ default: false, description: 'Let web pages of other origins call the API.' }),
    allow_domain: Type.String({ default: '*', description: 'Comma list of origins, or *.' }),
    methods: Type.String({
      default: 'GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS',
      description: 'Methods such pages may use.',
    }),
    headers: Type.String({
      default: 'Content-Type,User-Agent',
      description: 'Headers such pages may send beside Authorization and the one-time password.',
    }),
    max_age: Type.Integer({ default: 600, minimum: 0, description: 'Seconds a browser may remember the answer.' }),
    allow_credentials: Type.Boolean({ default: false, description: 'Let browsers send credentials of their own.' }),
  },
  { additionalProperties: false, description: 'Cross-origin requests.' },
)

export const sshSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Serve git over SSH.' }),
    host: Type.String({ default: '127.0.0.1', minLength: 1, description: 'Address the SSH server listens on.' }),
    port: Type.Integer({
      default: 2222,
      minimum: 0,
      maximum: 65_535,
      description: 'Port the SSH server listens on; 0 takes a free one.',
    }),
    domain: Type.String({ default: '', description: 'Host name in SSH clone addresses. Empty: the host of root_url.' }),
    public_port: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 65_535,
      description:
        'Port in SSH clone addresses when it is not the one listened on, as behind a container; 0 is the same.',
    }),
    user: Type.String({ default: 'git', minLength: 1, description: 'The user name SSH clients must give.' }),
    trusted_user_ca_keys: Type.Array(Type.String(), {
      default: [],
      description:
        'Public keys of authorities, as OpenSSH writes them, whose certificates sign users in, over SSH and by ' +
        'HTTP signature. The principals of a certificate are user names or activated addresses.',
    }),
    minimum_rsa_key_size: Type.Integer({
      default: 3071,
      minimum: 0,
      maximum: 16_384,
      description: 'Fewest bits of an RSA key that users may add; 0 takes every size.',
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
      description: 'Put the numbers of users and posts into NodeInfo.',
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
      description: 'Address of the metrics listener when it has a port of its own.',
    }),
    port: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 65_535,
      description: 'Port of a listener for metrics alone; 0 serves them on the main one.',
    }),
  },
  { additionalProperties: false, description: 'Metrics.' },
)
