import { evictDurableObject, runInDurableObject } from 'cloudflare:test'

/** Gives an object the database that a release wrote, and restarts it with today's code. */
export async function storeRelease(stub: DurableObjectStub, statements: string): Promise<void> {
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = statements.matchAll(/^CREATE TABLE (\w+)/gm)
    for (const [, name] of tables) sql.exec(`DROP TABLE ${name}`)
    sql.exec(statements)
  })
  await evictDurableObject(stub)
}
