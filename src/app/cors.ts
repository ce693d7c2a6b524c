import type { Config } from '../config/index.ts'
import type { CorsSettings } from '../http/cors.ts'

/** What web pages of other origins may do; undefined: nothing. */
export function corsSettings({ cors }: Config): CorsSettings | undefined {
  const list = (text: string): string[] =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
  if (!cors.enabled) return undefined
  return {
    origins: list(cors.allow_domain),
    methods: list(cors.methods),
    headers: list(cors.headers),
    maxAge: cors.max_age,
    credentials: cors.allow_credentials,
  }
}
