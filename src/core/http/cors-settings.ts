import type { CorsSettings } from './cors.ts'

/** The section `cors` of the configuration; lists are separated by commas. */
export interface CorsConfig {
  readonly enabled: boolean
  readonly allow_domain: string
  readonly methods: string
  readonly headers: string
  /** Seconds. */
  readonly max_age: number
  readonly allow_credentials: boolean
}

/** The rights of web pages of other origins; undefined for none. */
export function corsSettings(cors: CorsConfig): CorsSettings | undefined {
  if (!cors.enabled) return undefined
  return {
    origins: list(cors.allow_domain),
    methods: list(cors.methods),
    headers: list(cors.headers),
    maxAge: cors.max_age,
    credentials: cors.allow_credentials,
  }
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
