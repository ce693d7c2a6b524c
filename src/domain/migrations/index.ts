/** Repositories taken over from other servers. */
export { createMigrations, type Migrations, type MigrationDeps } from './migrations.service.ts'
export { forgeOf, METADATA_PARTS, type MetadataPart, type RemoteForge } from './remote-forge.ts'
export type { Migrated, MigrationSettings, NewMigration } from './new-migration.ts'
