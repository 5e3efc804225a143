#!/usr/bin/env python3
"""A debater that is not a model: plays one seat of Agon's debates over NATS.

It needs `pip install -r requirements.txt`, and nothing of Agon but the descriptors of its messages
(`crates/agon-proto/src/generated/descriptors.bin`). docs/guide/external-participants.md tells the contract.

    python3 debater.py --participant outsider --nats nats://127.0.0.1:4222

Replace `speak` by whatever answers in your case: a rule engine, a person at a keyboard, another framework's agent.
"""

import argparse
import asyncio
import json
import pathlib
import re
import signal
import sys

import nats
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# The tasks that it can do. It refuses every other task: a random answer would become part of the debate.
TASKS = ("opening", "argument", "statement", "closing", "ballot", "vote")

HERE = pathlib.Path(__file__).resolve().parent
DESCRIPTORS = HERE.parent.parent / "crates/agon-proto/src/generated/descriptors.bin"


def messages(path):
    """The message classes of the seat, made from the descriptors: no code has to be generated."""
    files = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(path).read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    find = lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"agon.bus.v1.{name}"))
    return find("SeatAsk"), find("SeatReply")


def speak(ask):
    """A speech. `ask.messages` is what a model would be told, the transcript included."""
    kind = kind_of(ask)
    if kind == "opening":
        return "Streets are for people before they are for cars. One day a week is a fair trial of that."
    if kind == "closing":
        return "A trial can be undone; a habit that was never questioned cannot. Try it from spring to autumn."
    words = sum(len(message.text.split()) for message in ask.messages)
    return (
        f"In round {ask.ask.turn.round} I keep to one point: the delivery windows before ten in the morning answer "
        f"what was said about goods, and nobody has named a cost that they do not cover. ({words} words were read.)"
    )


def kind_of(ask):
    """The task's name; none for one that is newer than the descriptors."""
    return ask.ask.task.WhichOneof("kind")


def choose(schema):
    """An answer where a form is asked for: the first allowed choice, with a reason."""
    properties = schema.get("properties", {})
    answer = {}
    for name in schema.get("required", properties):
        form = properties.get(name, {})
        if "enum" in form:
            answer[name] = form["enum"][0]
        elif form.get("type") == "array":
            answer[name] = ["it follows from what I said"]
        else:
            answer[name] = "A trial from spring to autumn"
    return answer


def reply_to(ask, seat_reply):
    """The answer, or a refusal that tells Agon why there is none."""
    kind = kind_of(ask)
    if kind not in TASKS:
        return seat_reply(refusal=f"this participant does not know the task {kind or '(newer than its descriptors)'}")
    if kind == "vote" and ask.ask.task.vote.form > 1:
        return seat_reply(refusal="this participant votes for one candidate only")
    try:
        text = json.dumps(choose(json.loads(ask.schema))) if ask.HasField("schema") else speak(ask)
        return seat_reply(text=text)
    except Exception as error:  # whatever goes wrong here must not become an argument
        return seat_reply(refusal=f"{type(error).__name__}: {error}")


async def play(options):
    seat_ask, seat_reply = messages(options.descriptors)
    if not re.fullmatch(r"[a-z0-9_-]+", options.participant):
        sys.exit("the participant's name has to be of a-z, 0-9, '_' and '-': it stands in the subject")
    login = {key: value for key, value in vars(options).items() if key in ("user", "password") and value}
    if options.creds:
        login["user_credentials"] = options.creds
    if options.inbox:
        login["inbox_prefix"] = options.inbox
    client = await nats.connect(options.nats, name=f"seat/{options.participant}", **login)

    async def answer(message):
        ask = seat_ask.FromString(message.data)
        reply = reply_to(ask, seat_reply)
        await message.respond(reply.SerializeToString())
        turn = ask.ask.turn
        print(f"{ask.debate} r{turn.round}-s{turn.seat}.{turn.attempt} {kind_of(ask)}", flush=True)

    subject = f"agon.v1.seat.{options.tenant}.{options.debate}.{options.participant}"
    # one of a group answers: start several, and a crash of one does no harm
    await client.subscribe(subject, queue=f"seat-{options.participant}", cb=answer)
    await client.flush()
    print(f"playing {subject}", flush=True)
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    await stop.wait()
    await client.drain()


def main():
    parser = argparse.ArgumentParser(description="Plays one seat of Agon's debates over NATS.")
    parser.add_argument("--participant", required=True, help="the persona's name in the debate file")
    parser.add_argument("--debate", default="*", help="one debate's id; every debate of the tenant by default")
    parser.add_argument("--tenant", default="default")
    parser.add_argument("--nats", default="nats://127.0.0.1:4222", help="the server's address")
    parser.add_argument("--user")
    parser.add_argument("--password")
    parser.add_argument("--creds", help="a credentials file instead of user and password")
    parser.add_argument("--inbox", help="inbox prefix that the user may subscribe to")
    parser.add_argument("--descriptors", default=DESCRIPTORS, help="Agon's descriptors.bin")
    asyncio.run(play(parser.parse_args()))


if __name__ == "__main__":
    main()
