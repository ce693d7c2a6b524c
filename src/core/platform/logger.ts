import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino'

export type Logger = PinoLogger
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const SECRETS = [
  'password',
  'token',
  'secret',
  'sha1',
  'authorization',
  'cookie',
  'client_secret',
  'auth_password',
  'auth_token',
  'remote_password',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/** Structured log lines on `destination` (standard error by default); values under secret-looking names are cut out. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = { level, redact: { paths: SECRETS, censor: '[redacted]' }, base: null }
  return pino(options, destination ?? pino.destination({ dest: 2, sync: true }))
}

/**
 * The same log for lines that have no member with a secret-looking name, nor an object: looking for them takes longer
 * than the rest of a line.
 */
export const withoutRedaction = (log: Logger): Logger => log.child({}, { redact: [] })
