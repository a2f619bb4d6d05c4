"""nova's own fake hypervisor, with the memory and the abilities that a client's view of servers needs."""
import io

from nova.compute import power_state, task_states, vm_states
from nova.image import glance
from nova.virt import fake

_POWER_STATES = {
    vm_states.ACTIVE: power_state.RUNNING,
    vm_states.PAUSED: power_state.PAUSED,
    vm_states.RESIZED: power_state.RUNNING,
    vm_states.STOPPED: power_state.SHUTDOWN,
    vm_states.SUSPENDED: power_state.SUSPENDED,
}


class FakeDriver(fake.FakeDriver):
    capabilities = {**fake.FakeDriver.capabilities,
                    "supports_image_type_qcow2": True, "supports_migrate_to_same_host": True}

    def _recall(self, instance):
        """A restarted process knows no servers, and a stop would then fail without a word to the client."""
        if instance.uuid not in self.instances and instance.vm_state in _POWER_STATES:
            state = _POWER_STATES[instance.vm_state]
            self.instances[instance.uuid] = fake.FakeInstance(instance.name, state, instance.uuid)
            self.resources.claim(instance.flavor.vcpus, instance.flavor.memory_mb, instance.flavor.root_gb)

    def get_info(self, instance, use_cache=True):
        self._recall(instance)
        return super().get_info(instance, use_cache)

    def power_on(self, context, instance, network_info, block_device_info=None, accel_info=None):
        self._recall(instance)
        super().power_on(context, instance, network_info, block_device_info, accel_info)

    def power_off(self, instance, timeout=0, retry_interval=0):
        self._recall(instance)
        super().power_off(instance, timeout, retry_interval)

    def detach_interface(self, context, instance, vif):
        self._interfaces.pop(vif["id"], None)  # One from before a restart is not in there.

    def snapshot(self, context, instance, image_id, update_task_state):
        """The stock driver uploads nothing, and the image would stay queued for ever."""
        update_task_state(task_state=task_states.IMAGE_PENDING_UPLOAD)
        images = glance.API()
        properties = {"name": images.get(context, image_id)["name"], "disk_format": "raw", "container_format": "bare"}
        update_task_state(task_state=task_states.IMAGE_UPLOADING, expected_state=task_states.IMAGE_PENDING_UPLOAD)
        images.update(context, image_id, properties, io.BytesIO(bytes(512)), purge_props=False)
