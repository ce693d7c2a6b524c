import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import { createSecretBox } from '../platform/secret-box.ts'
import { createHooks, type Hooks } from '../subjects/hooks/hooks.service.ts'
import { loadSecretKey } from './secret-key.ts'

export interface HookServices {
  readonly hooks: Hooks
}

interface HookServiceDeps {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly dataDir: string
}

export function createHookServices({ config, dataDir, ...deps }: HookServiceDeps): HookServices {
  return {
    hooks: createHooks({ ...deps, secrets: createSecretBox(loadSecretKey(config.security.secret_key, dataDir)) }),
  }
}
