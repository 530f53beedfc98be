import { MongoClient } from "mongodb";

const named = process.env.PIPEWRIGHT_TEST_MONGODB;
const address = named ?? "mongodb://127.0.0.1:27017";

/**
 * The server of MongoDB that tests use, or undefined where there is none. A server that the environment names must answer. Without one our
 * own peer takes its place, so that CI needs no server.
 */
export const mongoServer: string | undefined = await reachable();

async function reachable(): Promise<string | undefined> {
  const client = new MongoClient(address, { serverSelectionTimeoutMS: 3000 });
  try {
    await client.db("admin").command({ ping: 1 });
    return address;
  } catch (error) {
    if (named !== undefined) throw error;
    console.log("skipped: no MongoDB at 127.0.0.1:27017; set PIPEWRIGHT_TEST_MONGODB");
    return undefined;
  } finally {
    await client.close();
  }
}
