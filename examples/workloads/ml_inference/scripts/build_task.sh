#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Train the network if there is none, and write the seven executables that the harness looks for: each is a
# stage of stages.py. PYTHON names an interpreter with nttforge; ML_EPOCHS shortens training.
set -e
cd "$(dirname "$0")/../submission"
[ -f model/server.ml ] || "${PYTHON:-python3}" train.py model ${ML_EPOCHS:-}
mkdir -p build
for stage in client_key_generation server_preprocess_model client_preprocess_input client_encode_encrypt_input \
             server_encrypted_compute client_decrypt_decode client_postprocess; do
  printf '#!/bin/sh\nexec %s "%s/stages.py" %s "$@"\n' "${PYTHON:-python3}" "$PWD" "$stage" > "build/$stage"
  chmod +x "build/$stage"
done
